#!/usr/bin/env python3
"""A second implementation of the sessions, written from the specification alone.

It speaks Noise_IK_25519_AESGCM_SHA256 (The Noise Protocol Framework, revision 34: sections 5 and 7.5, rekey by
4.2 and 11.3) over the primitives of `cryptography`, plays both sides of one session with the keys that
`session/vectors/session.txt` names, and compares every byte: both handshake messages, the handshake's hash,
the first transport messages of both directions and those around the 65,536th, where keys are replaced.

    noise_oracle.py FILE      the vectors in FILE, - for standard input

Exit: 0 all equal, 1 a difference, 77 `cryptography` is missing (the caller counts a skip).
"""

import hashlib
import hmac
import struct
import sys

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    print("skipped: python has no `cryptography`")
    sys.exit(77)

PROTOCOL = b"Noise_IK_25519_AESGCM_SHA256"
REKEY_MESSAGES = 1 << 16
# The first frames of a direction, the last one under its first key, and the first two under its second.
COMPARED = (0, 1, 2, REKEY_MESSAGES - 1, REKEY_MESSAGES, REKEY_MESSAGES + 1)


def public(secret):
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def agree(secret, other):
    return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(other))


def hkdf2(chaining, data):
    mac = lambda key, text: hmac.new(key, text, hashlib.sha256).digest()
    temporary = mac(chaining, data)
    first = mac(temporary, b"\x01")
    return first, mac(temporary, first + b"\x02")


class Cipher:
    """CipherState of section 5.1, and when section 11.3 lets an application replace the key."""

    def __init__(self, key):
        self.key, self.count = key, 0

    @staticmethod
    def nonce(count):
        return b"\0\0\0\0" + struct.pack(">Q", count)

    def encrypt(self, aad, plain):
        sealed = AESGCM(self.key).encrypt(self.nonce(self.count), plain, aad)
        self.count += 1
        return sealed

    def decrypt(self, aad, sealed):
        plain = AESGCM(self.key).decrypt(self.nonce(self.count), sealed, aad)
        self.count += 1
        return plain

    def rekey(self):
        self.key = AESGCM(self.key).encrypt(self.nonce(2**64 - 1), bytes(32), b"")[:32]

    def rekey_if_due(self):
        if self.count and self.count % REKEY_MESSAGES == 0:
            self.rekey()


class Symmetric:
    """SymmetricState of section 5.2."""

    def __init__(self, prologue):
        assert len(PROTOCOL) <= 32
        self.hash = self.chaining = PROTOCOL.ljust(32, b"\0")
        self.cipher = None
        self.mix_hash(prologue)

    def mix_hash(self, data):
        self.hash = hashlib.sha256(self.hash + data).digest()

    def mix_key(self, data):
        self.chaining, key = hkdf2(self.chaining, data)
        self.cipher = Cipher(key)

    def encrypt(self, plain):
        sealed = self.cipher.encrypt(self.hash, plain)
        self.mix_hash(sealed)
        return sealed

    def decrypt(self, sealed):
        plain = self.cipher.decrypt(self.hash, sealed)
        self.mix_hash(sealed)
        return plain

    def split(self):
        return tuple(Cipher(key) for key in hkdf2(self.chaining, b""))


def client_side(v, prologue):
    """<- s ... -> e, es, s, ss; then reads <- e, ee, se. Gives message 1 and what the vault's message 2 says."""
    vault = public(v["vault_secret"])
    state = Symmetric(prologue)
    state.mix_hash(vault)
    e = public(v["client_ephemeral"])
    state.mix_hash(e)
    state.mix_key(agree(v["client_ephemeral"], vault))
    message = e + state.encrypt(public(v["client_secret"]))
    state.mix_key(agree(v["client_secret"], vault))
    message += state.encrypt(b"")

    answer = v["handshake2"][2:]
    state.mix_hash(answer[:32])
    state.mix_key(agree(v["client_ephemeral"], answer[:32]))
    state.mix_key(agree(v["client_secret"], answer[:32]))
    return message, state.decrypt(answer[32:]), state


def vault_side(v, prologue):
    """Reads message 1 as the Rust side wrote it, and writes message 2 of its own."""
    state = Symmetric(prologue)
    state.mix_hash(public(v["vault_secret"]))
    message = v["handshake1"][2:]
    state.mix_hash(message[:32])
    state.mix_key(agree(v["vault_secret"], message[:32]))
    client = state.decrypt(message[32:80])
    state.mix_key(agree(v["vault_secret"], client))
    payload = state.decrypt(message[80:])

    e = public(v["vault_ephemeral"])
    state.mix_hash(e)
    state.mix_key(agree(v["vault_ephemeral"], message[:32]))
    state.mix_key(agree(v["vault_ephemeral"], client))
    return client, payload, e + state.encrypt(v["welcome"]), state


def main():
    source = sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], encoding="ascii")
    v = {name: bytes.fromhex(digits) for name, digits in (line.split() for line in source)}
    prologue = b"portcullis session v1" + b"\x01" + v["boot_id"] + v["policy_hash"]
    compared = 0

    def same(name, found, expected):
        nonlocal compared
        compared += 1
        if found != expected:
            print(f"{name} differs:\n  rust   {expected.hex()}\n  oracle {found.hex()}")
            sys.exit(1)

    try:
        first, welcome, client = client_side(v, prologue)
        sender, payload, second, vault = vault_side(v, prologue)
    except InvalidTag:
        print("a handshake message of the Rust side does not decrypt")
        sys.exit(1)
    same("handshake1", b"\x01\x22" + first, v["handshake1"])
    same("handshake2", b"\x01\x23" + second, v["handshake2"])
    same("the client's key", sender, public(v["client_secret"]))
    same("the payload of message 1", payload, b"")
    same("the welcome", welcome, v["welcome"])
    same("session_id of the client", client.hash, v["session_id"])
    same("session_id of the vault", vault.hash, v["session_id"])

    for name, cipher in zip(("client", "vault"), vault.split()):
        for at in range(REKEY_MESSAGES + 2):
            cipher.rekey_if_due()
            if at not in COMPARED:
                cipher.count += 1
                continue
            sealed = cipher.encrypt(b"", b"message " + struct.pack(">Q", at))
            same(f"{name}_{at}", b"\x01\x24" + sealed, v[f"{name}_{at}"])
    print(f"{compared} values of the sessions are byte for byte those of the second implementation")


main()
