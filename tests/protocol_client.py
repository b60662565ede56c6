"""A client that knows docs/PROTOCOL.md and nothing else. Standard library only.

usage: protocol_client.py VAULT_SOCKET CONTROL_SOCKET

Wants a vault of the demo desk that has answered nobody yet. Has a transfer signed, an approval refused, checks all.
"""
import hashlib, socket, struct, sys, time
TRANSFER = bytes.fromhex(
    "02f86e0107843b9aca008506fc23ac00830186a094a0b86991c6218b36c1d19d4a2e9eb0ce3606eb4880b844a9059cbb"
    "0000000000000000000000009d8ef98e161a9fb2ab184ec539ad7a3095150d9c"
    "00000000000000000000000000000000000000000000000000000000017d7840c0")
APPROVAL = bytes.fromhex(
    "02f86d010a843b9aca008506fc23ac0082ea6094a0b86991c6218b36c1d19d4a2e9eb0ce3606eb4880b844095ea7b3"
    "0000000000000000000000006666666666666666666666666666666666666666" + 32 * "ff" + "c0")
PUBLIC_KEY = bytes.fromhex("0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6")
EVM_EIP1559, SPENDER_NOT_ALLOWED = 0x0100, 3104

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

def connect(path):
    for _ in range(200):  # the vault may still be starting
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.settimeout(2)
        if stream.connect_ex(path) == 0:
            return stream
        time.sleep(0.05)
    sys.exit(f"protocol_client: nobody listens at {path}")

def exchange(stream, body, kind):
    stream.sendall(struct.pack("<I", len(body)) + body)
    frame = b""
    while len(frame) < 4 or len(frame) < 4 + struct.unpack_from("<I", frame)[0]:
        part = stream.recv(65536)
        check(part, "the connection ended; the outcome is unknown")
        frame += part
    reader = Reader(frame[4:])
    check(struct.unpack_from("<I", frame)[0] == len(reader.data), "more than one frame")
    check(reader.take(2) == bytes([1, kind]), "version or kind")
    return reader

def read_record(data):
    reader, record = Reader(data), {}
    check((reader.uint(1), reader.uint(4)) == (3, 0), "receipt version or kind")
    for name, size in (("sequence", 8), ("boot_id", -16), ("previous", -32), ("policy_hash", -32), ("wall_ms", 8),
                       ("client", -32), ("request_id", 8), ("key_slot", 2), ("payload_kind", 2), ("code", 2)):
        record[name] = reader.uint(size) if size > 0 else reader.take(-size)
    record["subject"] = reader.option(lambda: reader.uint(2))
    record["observed"], record["limit"] = reader.shown(), reader.shown()
    record["digest"] = reader.option(lambda: reader.take(32))
    record["facts_complete"], record["facts"] = reader.uint(1), reader.take(reader.uint(8))
    reader.end()
    return record

def ask(stream, request_id, payload):
    header = struct.pack("<BBHHHQ", 1, 0x01, 0, EVM_EIP1559, 0, request_id)
    reader = exchange(stream, header + payload, 0x02)
    signature_size, reserved, code, receipt_size, canonical_size = struct.unpack("<BBHHH", reader.take(8))
    check(reserved == 0 and canonical_size == 0 and reader.take(6) == bytes(6), "reserved bytes or canonical size")
    check(reader.uint(8) == request_id, "request id")
    signature, receipt = reader.take(signature_size), reader.take(receipt_size)
    reader.end()
    record = read_record(receipt)
    check(signature_size == (65 if code == 0 else 0), "signature size")
    for name, value in (("request_id", request_id), ("key_slot", 0), ("payload_kind", EVM_EIP1559), ("code", code)):
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

def main(vault_path, control_path):
    stream = connect(vault_path)
    code, signature, receipt, record = ask(stream, 42, TRANSFER)
    check(code == 0 and record["facts_complete"] == 1, f"the transfer was refused with {code}")
    check(recover(record["digest"], signature) == PUBLIC_KEY, "the signature is not the key's")
    genesis = hashlib.sha256(b"portcullis boot v1" + record["boot_id"] + record["policy_hash"]).digest()
    check((record["sequence"], record["previous"]) == (0, genesis), "the first receipt of a boot")

    code, _, second, refused = ask(stream, 43, APPROVAL)
    check(code == SPENDER_NOT_ALLOWED and refused["observed"] == bytes.fromhex(20 * "66"), f"refused with {code}")
    link = hashlib.sha256(b"portcullis receipt v3" + receipt).digest()
    check((refused["sequence"], refused["previous"]) == (1, link), "the link of the first receipt")

    status = exchange(connect(control_path), bytes([1, 0x10, 0, 0, 0, 0]), 0x11)
    check((status.uint(4), status.uint(4), status.uint(2), status.uint(8)) == (0, 0, 0, 0), "answer, mode, latches or orders")
    check(status.take(48) == record["boot_id"] + record["policy_hash"], "boot or policy")
    status.uint(8)  # uptime
    head = hashlib.sha256(b"portcullis receipt v3" + second).digest()
    check((status.uint(8), status.take(32)) == (2, head), "the head of the chain")
    check((status.uint(8), status.uint(8), status.take(status.uint(8))) == (1, 1, b"demo"), "counts or desk")
    status.end()
    print("one signed, one refused, receipts chained")

if __name__ == "__main__":
    main(*sys.argv[1:])
