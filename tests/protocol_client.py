"""A client that knows docs/PROTOCOL.md and nothing else. Its primitives are those of the package `cryptography`.

usage: protocol_client.py VAULT_SOCKET CONTROL_SOCKET POLICY_HASH

Wants a development vault of the demo desk that has answered nobody yet. Opens sessions as bot and as host, has a transfer
signed and an approval refused, asks again, takes the records, and checks all: document, handshake, rekeying, receipts,
chain, signed head. Exit 77 where `cryptography` is missing (the caller counts a skip).
"""
import hashlib, hmac, os, socket, struct, sys, time
try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    print("skipped: python has no `cryptography`")
    sys.exit(77)

TRANSFER = bytes.fromhex(
    "02f86e0107843b9aca008506fc23ac00830186a094a0b86991c6218b36c1d19d4a2e9eb0ce3606eb4880b844a9059cbb"
    "0000000000000000000000009d8ef98e161a9fb2ab184ec539ad7a3095150d9c"
    "00000000000000000000000000000000000000000000000000000000017d7840c0")
APPROVAL = bytes.fromhex(
    "02f86d010a843b9aca008506fc23ac0082ea6094a0b86991c6218b36c1d19d4a2e9eb0ce3606eb4880b844095ea7b3"
    "0000000000000000000000006666666666666666666666666666666666666666" + 32 * "ff" + "c0")
PUBLIC_KEY = bytes.fromhex("0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6")
DEVELOPMENT_ROOT = bytes.fromhex("3bc6e3f4ff1f950a1dfd5a0d1fff2e7c6051aadb62925589c44344bcf8a99a8f")
EVM_EIP1559, SPENDER_NOT_ALLOWED, REQUEST_ID_CONFLICT = 0x0100, 3104, 3010
SESSION_REQUIRED, CLIENT_NOT_KNOWN, CHANNEL_NOT_ALLOWED = 1602, 3600, 3610
BOTS, CONTROL, LIVE, REKEY_MESSAGES = 1, 2, 0, 1 << 16

def check(holds, what):
    if not holds:
        sys.exit(f"protocol_client: {what}")

class Reader:
    """Takes values off the front of bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        check(self.at + size <= len(self.data), "cut short")
        self.at += size
        return self.data[self.at - size:self.at]

    def uint(self, size, signed=False):
        return int.from_bytes(self.take(size), "little", signed=signed)

    def option(self, read):
        tag = self.uint(1)
        check(tag in (0, 1), "Option tag")
        return read() if tag else None

    def shown(self):
        tag = self.uint(4)
        check(tag <= 6, "Shown tag")
        return [lambda: None, lambda: self.uint(16), lambda: int.from_bytes(self.take(32), "big"),
                lambda: self.uint(16, signed=True), lambda: self.take(20), lambda: self.take(32),
                lambda: (self.uint(16), self.uint(1))][tag]()

    def end(self):
        check(self.at == len(self.data), "trailing bytes")

def dev_key(name):
    return X25519PrivateKey.from_private_bytes(hashlib.sha256(b"portcullis dev key: " + name).digest())

class Cipher:
    """One direction: a key and a counter."""

    def __init__(self, key, rekeys=True):
        self.key, self.count, self.rekeys = key, 0, rekeys

    def next(self, run, text, also):
        if self.rekeys and self.count and self.count % REKEY_MESSAGES == 0:
            self.key = AESGCM(self.key).encrypt(bytes(4) + b"\xff" * 8, bytes(32), b"")[:32]
        nonce = bytes(4) + struct.pack(">Q", self.count)
        self.count += 1
        return run(AESGCM(self.key))(nonce, text, also)

    def seal(self, text, also=b""):
        return self.next(lambda key: key.encrypt, text, also)

    def open(self, text, also=b""):
        return self.next(lambda key: key.decrypt, text, also)

class Handshake:
    """The client's side of Noise_IK_25519_AESGCM_SHA256."""

    def __init__(self, prologue, key, vault):
        self.hash = self.chaining = b"Noise_IK_25519_AESGCM_SHA256".ljust(32, b"\0")
        self.key, self.own, self.vault = key, X25519PrivateKey.generate(), vault
        self.mix_hash(prologue)
        self.mix_hash(vault)

    def mix_hash(self, data):
        self.hash = hashlib.sha256(self.hash + data).digest()

    def derive(self, data):
        mac = lambda key, text: hmac.new(key, text, hashlib.sha256).digest()
        first = mac(secret := mac(self.chaining, data), b"\1")
        return first, mac(secret, first + b"\2")

    def mix_key(self, private, public):
        self.chaining, key = self.derive(private.exchange(X25519PublicKey.from_public_bytes(public)))
        self.cipher = Cipher(key, rekeys=False)

    def seal(self, text):
        sealed = self.cipher.seal(text, self.hash)
        self.mix_hash(sealed)
        return sealed

    def open(self, sealed):
        text = self.cipher.open(sealed, self.hash)
        self.mix_hash(sealed)
        return text

    def first(self, certificate):
        ephemeral = self.own.public_key().public_bytes_raw()
        self.mix_hash(ephemeral)
        self.mix_key(self.own, self.vault)
        static = self.seal(self.key.public_key().public_bytes_raw())
        self.mix_key(self.key, self.vault)
        return ephemeral + static + self.seal(certificate)

    def second(self, message):
        ephemeral, sealed = message[:32], message[32:]
        self.mix_hash(ephemeral)
        self.mix_key(self.own, ephemeral)
        self.mix_key(self.key, ephemeral)
        welcome = self.open(sealed)
        return welcome, [Cipher(key) for key in self.derive(b"")]

class Connection:
    """Frames over a unix socket, in the open until there is a session."""

    def __init__(self, path):
        for _ in range(200):  # the vault may still be starting
            self.stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.stream.settimeout(2)
            if self.stream.connect_ex(path) == 0:
                return
            time.sleep(0.05)
        sys.exit(f"protocol_client: nobody listens at {path}")

    def raw(self, body):
        self.stream.sendall(struct.pack("<I", len(body)) + body)
        frame = b""
        while len(frame) < 4 or len(frame) < 4 + struct.unpack_from("<I", frame)[0]:
            part = self.stream.recv(65536)
            if not part:
                return None
            frame += part
        check(struct.unpack_from("<I", frame)[0] == len(frame) - 4, "more than one frame")
        return frame[4:]

    def denied(self, body):
        answer = self.raw(body)
        check(answer and answer[:2] == b"\x01\x25" and len(answer) == 4, "not denied")
        check(self.stream.recv(1) == b"", "a denial that does not close")
        return struct.unpack_from("<H", answer, 2)[0]

    def hello(self, policy_hash):
        nonce = os.urandom(32)
        answer = self.raw(b"\x01\x20" + nonce)
        check(answer and answer[:2] == b"\x01\x21", "no attestation document")
        signed, signature = answer[2:-64], answer[-64:]
        Ed25519PublicKey.from_public_bytes(DEVELOPMENT_ROOT).verify(signature, signed)
        label = b"portcullis development document v1"
        check(signed.startswith(label), "another document")
        reader, claims = Reader(signed[len(label):]), {}
        for name, size in (("policy_hash", 32), ("boot_id", 16), ("session_key", 32), ("receipt_key", 32), ("nonce", 32)):
            claims[name] = reader.take(size)
        wall_ms = reader.uint(8)
        reader.end()
        check(claims["policy_hash"] == policy_hash, "another book")
        check(claims["nonce"] == nonce, "the document answers another hello")
        check(abs(time.time() * 1000 - wall_ms) < 60_000, "an old document")
        return claims

    def start(self, claims, channel, key):
        prologue = b"portcullis session v1" + bytes([channel]) + claims["boot_id"] + claims["policy_hash"]
        handshake = Handshake(prologue, key, claims["session_key"])
        return handshake, b"\x01\x22" + handshake.first(b"")

    def open(self, policy_hash, channel, name):
        self.claims = claims = self.hello(policy_hash)
        handshake, message = self.start(claims, channel, dev_key(name))
        answer = self.raw(message)
        check(answer and answer[:2] == b"\x01\x23", f"no session: {answer}")
        welcome, (self.out, self.back) = handshake.second(answer[2:])
        reader = Reader(welcome)
        said = [reader.take(16), reader.take(32), reader.take(32)]
        check(said == [claims["boot_id"], claims["policy_hash"], claims["receipt_key"]], "not what was attested")
        reader.uint(8)  # wall ms
        self.mode, self.heartbeat_ms, self.records_kept = reader.uint(4), reader.uint(4), reader.uint(4)
        reader.end()
        return self

    def exchange(self, body, kind):
        answer = self.raw(b"\x01\x24" + self.out.seal(body))
        check(answer and answer[:2] == b"\x01\x24", "the connection ended; the outcome is unknown")
        reader = Reader(self.back.open(answer[2:]))
        check(reader.take(2) == bytes([1, kind]), "version or kind")
        return reader

def read_record(data):
    reader, record = Reader(data), {}
    check(reader.uint(1) == 3, "receipt version")
    for name, size in (("kind", 4), ("sequence", 8), ("boot_id", -16), ("previous", -32), ("policy_hash", -32),
                       ("wall_ms", 8), ("client", -32), ("request_id", 8), ("key_slot", 2), ("payload_kind", 2), ("code", 2)):
        record[name] = reader.uint(size) if size > 0 else reader.take(-size)
    record["subject"] = reader.option(lambda: reader.uint(2))
    record["observed"], record["limit"] = reader.shown(), reader.shown()
    record["digest"] = reader.option(lambda: reader.take(32))
    record["facts_complete"], record["facts"] = reader.uint(1), reader.take(reader.uint(8))
    reader.end()
    return record

def ask(bot, request_id, payload):
    header = struct.pack("<BBHHHQ", 1, 0x01, 0, EVM_EIP1559, 0, request_id)
    reader = bot.exchange(header + payload, 0x02)
    signature_size, reserved, code, receipt_size, canonical_size = struct.unpack("<BBHHH", reader.take(8))
    check(reserved == 0 and canonical_size == 0 and reader.take(6) == bytes(6), "reserved bytes or canonical size")
    check(reader.uint(8) == request_id, "request id")
    signature, receipt = reader.take(signature_size), reader.take(receipt_size)
    reader.end()
    record = read_record(receipt)
    check(signature_size == (65 if code == 0 else 0), "signature size")
    for name, value in (("kind", 0), ("request_id", request_id), ("key_slot", 0), ("payload_kind", EVM_EIP1559),
                        ("code", code), ("boot_id", bot.claims["boot_id"]), ("policy_hash", bot.claims["policy_hash"]),
                        ("client", dev_key(b"bot").public_key().public_bytes_raw())):
        check(record[name] == value, f"the receipt's {name}")
    return code, signature, receipt, record

P, N = 2**256 - 2**32 - 977, 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141
G = (0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
     0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8)

def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P

def multiply(point, number):
    total = None
    for bit in bin(number)[2:]:
        total = add(add(total, total), point if bit == "1" else None)
    return total

def recover(digest, signature):
    r, s, v = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big"), signature[64]
    check(v in (0, 1) and 0 < r < N and 0 < s <= N // 2, "v, r or s")
    y = pow(r**3 + 7, (P + 1) // 4, P)
    point, z, inverse = (r, y if y % 2 == v else P - y), int.from_bytes(digest, "big"), pow(r, -1, N)
    x, y = add(multiply(point, s * inverse % N), multiply(G, -z * inverse % N))
    return bytes([2 + y % 2]) + x.to_bytes(32, "big")

def heartbeat(bot):
    reader = bot.exchange(b"\x01\x26", 0x27)
    mode = reader.uint(1)
    reader.end()
    return mode

def take(host, sequence, acknowledged):
    """Records from `sequence` on, and the head: sequence and link, by the boot's receipt key."""
    reader = host.exchange(b"\x01\x10" + struct.pack("<IQQH", 4, sequence, acknowledged, 250), 0x11)
    check(reader.uint(4) == 2 and reader.take(16) == host.claims["boot_id"], "no records of this boot")
    check(reader.uint(8) == sequence, "records from another place on")
    head = reader.option(lambda: (reader.take(96), reader.take(64)))
    packed, records = Reader(reader.take(reader.uint(8))), []
    reader.end()
    while packed.at < len(packed.data):
        records.append(packed.take(packed.uint(2)))
    if head:
        signed, signature = head
        Ed25519PublicKey.from_public_bytes(host.claims["receipt_key"]).verify(signature, b"portcullis head v1" + signed)
        check(signed[:48] == host.claims["boot_id"] + host.claims["policy_hash"], "a head of another boot or book")
        head = struct.unpack_from("<Q", signed, 48)[0], signed[56:88]
    return records, head

def outside(vault_path, control_path, policy_hash):
    """What has no session, or comes to the wrong socket, is denied or not understood."""
    request = struct.pack("<BBHHHQ", 1, 0x01, 0, EVM_EIP1559, 0, 1) + TRANSFER
    check(Connection(vault_path).denied(request) == SESSION_REQUIRED, "a request in the open")
    check(Connection(control_path).denied(b"\x01\x10" + bytes(4)) == SESSION_REQUIRED, "a command in the open")
    for path, channel, name, code in ((vault_path, BOTS, b"stranger", CLIENT_NOT_KNOWN),
                                      (control_path, CONTROL, b"bot", CHANNEL_NOT_ALLOWED)):
        connection = Connection(path)
        _, message = connection.start(connection.hello(policy_hash), channel, dev_key(name))
        check(connection.denied(message) == code, f"{name} at {path}")

def main(vault_path, control_path, policy_hash):
    policy_hash = bytes.fromhex(policy_hash.removeprefix("0x"))
    host = Connection(control_path).open(policy_hash, CONTROL, b"host")
    check(take(host, 0, 0) == ([], None), "records of a vault that nobody has asked")
    outside(vault_path, control_path, policy_hash)
    bot = Connection(vault_path).open(policy_hash, BOTS, b"bot")
    for _ in range(100):  # a host that was late is believed again after a second
        taken, head = take(host, 0, 0)
        if heartbeat(bot) == LIVE:
            break
    code, signature, receipt, record = ask(bot, 42, TRANSFER)
    check(code == 0 and record["facts_complete"] == 1, f"the transfer was refused with {code}")
    check(recover(record["digest"], signature) == PUBLIC_KEY, "the signature is not the key's")
    code, _, refused_receipt, refused = ask(bot, 43, APPROVAL)
    check(code == SPENDER_NOT_ALLOWED and refused["observed"] == bytes.fromhex(20 * "66"), f"refused with {code}")

    bot.stream.close()
    bot = Connection(vault_path).open(policy_hash, BOTS, b"bot")
    again = ask(bot, 42, TRANSFER)
    check(again == (0, signature, receipt, record), "another answer to the same request")
    check(ask(bot, 42, APPROVAL)[0] == REQUEST_ID_CONFLICT, "the same number for other bytes")

    records, head = take(host, 0, 0)
    check(receipt in records and refused_receipt in records, "the host does not get the bot's records")
    link = hashlib.sha256(b"portcullis boot v1" + host.claims["boot_id"] + policy_hash).digest()
    for sequence, data in enumerate(records):
        record = read_record(data)
        check((record["sequence"], record["previous"]) == (sequence, link), "a record does not continue the chain")
        link = hashlib.sha256(b"portcullis receipt v3" + data).digest()
    check(head == (len(records) - 1, link), "the head is not of the last record")
    check(take(host, len(records), len(records)) == ([], head), "records that nobody has made")

    status = host.exchange(b"\x01\x10" + bytes(4), 0x11)
    check((status.uint(4), status.uint(4), status.uint(2)) == (0, LIVE, 0), "answer, mode or latches")
    check((status.uint(2), status.uint(8), status.uint(8)) == (1, 0, 0), "sessions, waiting records or orders")
    check(status.take(48) == host.claims["boot_id"] + policy_hash, "boot or policy")
    status.uint(8)  # uptime
    check((status.uint(8), status.take(32)) == (len(records), link), "the head of the chain")
    check((status.uint(8), status.uint(8), status.take(status.uint(8))) == (1, 2, b"demo"), "counts or desk")
    status.end()

    for count in range(REKEY_MESSAGES):  # both directions replace their keys
        if count % 1_000 == 0:
            take(host, len(records), len(records))  # a host that is gone makes the vault stricter
        heartbeat(bot)
    code, _, again, _ = ask(bot, 43, APPROVAL)
    check(again == refused_receipt, f"another answer after new keys, {code}")
    bot.back.count += 1  # a client out of step opens nothing
    try:
        heartbeat(bot)
        check(False, "opened in another place of the sequence")
    except InvalidTag:
        pass
    print(f"one signed, one refused, one conflict, {len(records)} records chained, keys replaced")

if __name__ == "__main__":
    main(*sys.argv[1:])
