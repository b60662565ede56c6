#!/usr/bin/env python3
"""A second implementation of the rules for Nitro attestation documents, with Python's `cryptography` for certificates and
signatures, written from AWS' "Validating attestation documents" and RFC 5280, 8949 and 9052.

    nitro_oracle.py INDEX     judges the documents of an index and compares verdicts (tests/nitro.sh writes it)

A line of the index: file, SHA-256 of the root, time in ms or `document`, `accept` or `refuse`, and the rule for people.
"""

import hashlib
import sys
import warnings
from datetime import datetime, timezone
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA384
from cryptography.x509.oid import ExtensionOID, SignatureAlgorithmOID

# A certificate of the tests is wrong on purpose.
warnings.simplefilter("ignore")

# The images that the tests allow: one of ones, twos and threes, and one of nines.
IMAGES = [[bytes([value]) * 48 for value in image] for image in ([1, 2, 3], [9, 9, 9])]
TYPES = {0: "uint", 2: "bytes", 3: "text", 4: "array", 5: "map", 6: "tag", 7: "simple"}
SIZES = {"public_key": (1, 1024), "user_data": (0, 512), "nonce": (0, 512), "certificate": (1, 1024)}


class Refused(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Refused(why)


class Cbor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        need(self.at + size <= len(self.data), "truncated")
        self.at += size
        return self.data[self.at - size : self.at]

    def head(self):
        first = self.take(1)[0]
        major, short = first >> 5, first & 31
        if short < 24:
            return major, short
        need(short <= 27, "indefinite or reserved")
        number = int.from_bytes(self.take(1 << (short - 24)), "big")
        need(number >= {24: 24, 25: 1 << 8, 26: 1 << 16, 27: 1 << 32}[short] or major == 7, "not the shortest form")
        return major, number

    def item(self, kind):
        major, number = self.head()
        need(TYPES.get(major) == kind, f"{TYPES.get(major)} in place of {kind}")
        if kind in ("bytes", "text"):
            content = self.take(number)
            try:
                return content.decode() if kind == "text" else content
            except UnicodeDecodeError:
                raise Refused("not UTF-8") from None
        return number

    def bytes_or_null(self):
        if self.data[self.at : self.at + 1] == b"\xf6":
            self.at += 1
            return None
        return self.item("bytes")

    def end(self):
        need(self.at == len(self.data), "bytes behind the end")


def read(document):
    need(len(document) <= 16384, "too long")
    cbor = Cbor(document)
    if document[:1] and document[0] >> 5 == 6:
        need(cbor.item("tag") == 18, "tag")
    need(cbor.item("array") == 4, "not a COSE_Sign1")
    protected = cbor.item("bytes")
    need(protected == bytes.fromhex("a1013822"), "protected header")
    need(cbor.item("map") == 0, "unprotected header")
    payload, signature = cbor.item("bytes"), cbor.item("bytes")
    cbor.end()
    need(len(signature) == 96, "size of the signature")
    return fields(payload), payload, signature


def fields(payload):
    cbor, found = Cbor(payload), {}
    for _ in range(cbor.item("map")):
        name = cbor.item("text")
        need(name not in found, "a field twice")
        if name in ("module_id", "digest"):
            value = cbor.item("text")
        elif name == "timestamp":
            value = cbor.item("uint")
        elif name == "pcrs":
            value = {}
            count = cbor.item("map")
            need(1 <= count <= 32, "how many measurements")
            for _ in range(count):
                index = cbor.item("uint")
                need(index < 32 and index not in value, "index of a measurement")
                value[index] = cbor.item("bytes")
                need(len(value[index]) == 48, "size of a measurement")
        elif name == "cabundle":
            count = cbor.item("array")
            need(1 <= count <= 8, "length of the chain")
            value = [cbor.item("bytes") for _ in range(count)]
            need(all(1 <= len(certificate) <= 1024 for certificate in value), "size of a certificate")
        elif name in SIZES:
            value = cbor.item("bytes") if name == "certificate" else cbor.bytes_or_null()
            least, most = SIZES[name]
            need(value is None or least <= len(value) <= most, f"size of {name}")
        else:
            raise Refused("an unknown field")
        found[name] = value
    cbor.end()
    for name in ("module_id", "digest", "timestamp", "pcrs", "certificate", "cabundle"):
        need(name in found, f"no {name}")
    need(found["module_id"] and found["digest"] == "SHA384" and found["timestamp"], "module, digest or time")
    return found


def certificate(der):
    try:
        loaded = x509.load_der_x509_certificate(der)
        loaded.extensions, loaded.subject, loaded.issuer
    except ValueError as error:
        raise Refused(f"a certificate: {error}") from None
    except x509.DuplicateExtension:
        raise Refused("an extension twice") from None
    except x509.InvalidVersion:
        raise Refused("a certificate's version") from None
    need(loaded.version == x509.Version.v3, "a certificate's version")
    need(loaded.signature_algorithm_oid == SignatureAlgorithmOID.ECDSA_WITH_SHA384, "a certificate's algorithm")
    need(loaded.signature_algorithm_parameters is not None, "a certificate's parameters")
    need(der.count(bytes.fromhex("300a06082a8648ce3d040303")) == 2, "a certificate's two algorithms")
    try:
        key = loaded.public_key()
    except Exception as error:
        raise Refused(f"a certificate's key: {error}") from None
    need(isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP384R1), "a certificate's key")
    need(bytes.fromhex("03620004") in loaded.tbs_certificate_bytes, "a compressed key")
    return loaded


def extension(loaded, oid):
    try:
        return loaded.extensions.get_extension_for_oid(oid).value
    except x509.ExtensionNotFound:
        return None


def chain(found, root, at):
    need(hashlib.sha256(found["cabundle"][0]).digest() == root, "another root")
    loaded = [certificate(der) for der in found["cabundle"] + [found["certificate"]]]
    now = datetime.fromtimestamp(at // 1000, timezone.utc)
    for place, own in enumerate(loaded):
        issuer = loaded[max(place - 1, 0)]
        need(own.not_valid_before_utc <= now < own.not_valid_after_utc, "not valid at this time")
        known = (ExtensionOID.BASIC_CONSTRAINTS, ExtensionOID.KEY_USAGE)
        need(all(not one.critical or one.oid in known for one in own.extensions), "a critical extension")
        constraints = extension(own, ExtensionOID.BASIC_CONSTRAINTS)
        usage = extension(own, ExtensionOID.KEY_USAGE)
        need(usage is not None, "no key usage")
        if place < len(loaded) - 1:
            need(constraints is not None and constraints.ca, "no authority")
            behind = len(loaded) - 2 - place
            need(constraints.path_length is None or behind <= constraints.path_length, "path length")
            need(usage.key_cert_sign, "may not sign certificates")
        else:
            need(constraints is None or not constraints.ca, "an authority at the end")
            need(usage.digital_signature, "may not sign")
        need(own.issuer == issuer.subject, "another issuer")
        try:
            issuer.public_key().verify(own.signature, own.tbs_certificate_bytes, ec.ECDSA(SHA384()))
        except InvalidSignature:
            raise Refused("signature of a certificate") from None
    return loaded[-1]


def head(major, number):
    for size, short in ((1, 24), (2, 25), (4, 26)):
        if number < 24:
            return bytes([major << 5 | number])
        if number < 1 << 8 * size:
            return bytes([major << 5 | short]) + number.to_bytes(size, "big")
    raise Refused("too long")


def judge(document, root, at):
    found, payload, signature = read(document)
    at = found["timestamp"] if at == "document" else int(at)
    leaf = chain(found, root, at)
    signed = b"\x84\x6aSignature1\x44\xa1\x01\x38\x22\x40" + head(2, len(payload)) + payload
    r, s = (int.from_bytes(half, "big") for half in (signature[:48], signature[48:]))
    try:
        leaf.public_key().verify(encode_dss_signature(r, s), signed, ec.ECDSA(SHA384()))
    except InvalidSignature:
        raise Refused("signature of the document") from None
    need(found["pcrs"].get(0, bytes(48)) != bytes(48), "debug mode")
    return found


def claims(found):
    pcrs = [found["pcrs"].get(index) for index in range(3)]
    need(pcrs in IMAGES, "another image")
    user_data = found.get("user_data") or b""
    need(len(user_data) == 100 and user_data.startswith(b"portcullis claims v1"), "user data")
    need(len(found.get("public_key") or b"") == 32, "session key")
    need(len(found.get("nonce") or b"") == 32, "challenge")


def main():
    index, judged, differing = Path(sys.argv[1]), 0, []
    for line in index.read_text().splitlines():
        name, root, at, verdict, rule = line.split("\t")
        document = (index.parent / name).read_bytes()
        try:
            found = judge(document, bytes.fromhex(root), at)
            if not rule.startswith("real"):
                claims(found)
            own, why = "accept", ""
        except Refused as refused:
            own, why = "refuse", str(refused)
        judged += 1
        if own != verdict:
            differing.append(f"{name} ({rule}): {verdict} there, {own} here: {why}")
    print("\n".join(differing + [f"{judged} documents, {len(differing)} judged in another way"]))
    sys.exit(1 if differing or not judged else 0)


if __name__ == "__main__":
    main()
