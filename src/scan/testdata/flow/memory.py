import base64
import ctypes
import mmap

PAYLOAD = base64.b64decode("kJCQkJCQkJCQkJCQkJCQkJCQkJCQwwAA")


def go():
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)  # expect: MEM-001 MEM-003
    page.write(PAYLOAD)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def honest():
    return ctypes.CDLL("libm.so.6")


go()
