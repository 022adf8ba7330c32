"""Tables of the LevelDB family, read and written in plain Python.

TensorFlow writes them only uncompressed. This writer can also compress blocks with
snappy and choose their size, for test files that TensorFlow can still read. The
reader tells which block each byte of a file belongs to.
"""

import struct

from wire import read_varint, varint

MAGIC = 0xDB4775248B80FB57
FOOTER_SIZE = 48
TRAILER_SIZE = 5
PLAIN, SNAPPY = 0, 1


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _crc_table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def mask(crc):
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


# -- snappy ----------------------------------------------------------------

def _literal(data):
    n = len(data) - 1
    if n < 60:
        return bytes([n << 2]) + data
    size = (n.bit_length() + 7) // 8
    return bytes([(59 + size) << 2]) + n.to_bytes(size, "little") + data


def snappy_compress(data):
    """A greedy compressor: copies of four bytes and more, 64 at a time."""
    out = bytearray(varint(len(data)))
    seen = {}
    at = start = 0
    while at + 4 <= len(data):
        word = data[at:at + 4]
        before = seen.get(word)
        seen[word] = at
        if before is None or at - before > 0xFFFF:
            at += 1
            continue
        if start < at:
            out += _literal(data[start:at])
        n = 4
        while at + n < len(data) and n < 64 and data[before + n] == data[at + n]:
            n += 1
        out += bytes([(n - 1) << 2 | 2]) + struct.pack("<H", at - before)
        at += n
        start = at
    if start < len(data):
        out += _literal(data[start:])
    return bytes(out)


def snappy_uncompress(data):
    size, at = read_varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            n = tag >> 2
            if n >= 60:
                size_bytes = n - 59
                n = int.from_bytes(data[at:at + size_bytes], "little")
                at += size_bytes
            out += data[at:at + n + 1]
            at += n + 1
        else:
            assert tag & 3 == 2, "only what snappy_compress writes"
            offset = struct.unpack_from("<H", data, at)[0]
            at += 2
            for _ in range((tag >> 2) + 1):
                out.append(out[-offset])
    assert len(out) == size
    return bytes(out)


# -- writing ---------------------------------------------------------------

def _block(entries, restart_every=16):
    out, restarts, last = bytearray(), [], b""
    for i, (key, value) in enumerate(entries):
        shared = 0
        if i % restart_every == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                shared += 1
        out += varint(shared) + varint(len(key) - shared) + varint(len(value))
        out += key[shared:] + value
        last = key
    restarts = restarts or [0]
    return bytes(out) + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def write_table(entries, block_size=4096, compression=PLAIN):
    """The bytes of a table with these (key, value) pairs, sorted by key."""
    out, index = bytearray(), []

    def put(content, kind):
        if kind == SNAPPY:
            content = snappy_compress(content)
        handle = varint(len(out)) + varint(len(content))
        out.extend(content + bytes([kind]))
        out.extend(struct.pack("<I", mask(crc32c(content + bytes([kind])))))
        return handle

    pending = []
    for key, value in entries:
        pending.append((key, value))
        if sum(len(k) + len(v) for k, v in pending) >= block_size:
            index.append((key, put(_block(pending), compression)))
            pending = []
    if pending:
        index.append((pending[-1][0], put(_block(pending), compression)))
    metaindex = put(_block([]), compression)
    footer = metaindex + put(_block(index, 1), compression)
    return bytes(out) + footer.ljust(FOOTER_SIZE - 8, b"\0") + struct.pack("<Q", MAGIC)


# -- reading ---------------------------------------------------------------

class Block:
    """Where a block is, and its content uncompressed."""

    def __init__(self, data, offset, size):
        self.offset, self.size = offset, size
        self.end = offset + size + TRAILER_SIZE
        self.kind = data[offset + size]
        content = data[offset:offset + size]
        stored, = struct.unpack_from("<I", data, offset + size + 1)
        assert stored == mask(crc32c(data[offset:offset + size + 1]))
        self.content = snappy_uncompress(content) if self.kind == SNAPPY else content

    def entries(self):
        n_restarts, = struct.unpack("<I", self.content[-4:])
        end, at, key = len(self.content) - 4 - 4 * n_restarts, 0, b""
        while at < end:
            shared, at = read_varint(self.content, at)
            rest, at = read_varint(self.content, at)
            size, at = read_varint(self.content, at)
            key = key[:shared] + self.content[at:at + rest]
            at += rest
            yield key, self.content[at:at + size]
            at += size


class Table:
    def __init__(self, data):
        assert struct.unpack("<Q", data[-8:])[0] == MAGIC
        self.footer = len(data) - FOOTER_SIZE
        offset, at = read_varint(data, self.footer)
        size, at = read_varint(data, at)
        self.metaindex = Block(data, offset, size)
        offset, at = read_varint(data, at)
        size, at = read_varint(data, at)
        self.index = Block(data, offset, size)
        self.padding = range(at, len(data) - 8)
        self.blocks = []
        for _, handle in self.index.entries():
            offset, at = read_varint(handle, 0)
            size, at = read_varint(handle, at)
            self.blocks.append(Block(data, offset, size))

    def entries(self):
        for block in self.blocks:
            yield from block.entries()

    def block_at(self, position):
        """The block a byte of the file belongs to; None in the footer."""
        for block in [*self.blocks, self.metaindex, self.index]:
            if block.offset <= position < block.end:
                return block
        return None
