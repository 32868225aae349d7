import base64
import builtins
import codecs
import os

getattr(builtins, "ex" + "ec")("pass")  # expect: OBFUSC-002
globals()["__builtins__"].__dict__["".join(["e", "val"])]("1")  # expect: OBFUSC-002
os.__dict__["metsys"[::-1]]("true")  # expect: OBFUSC-002
exec(base64.b64decode(b"cHJpbnQoImhlbGxvIGZyb20gaGlkZGVuIik="))  # expect: OBFUSC-001
exec(codecs.decode("cevag('uryyb sebz uvqqra')", "rot13"))  # expect: OBFUSC-001
getattr(os, "getcwd")()
