plain = 'single'
double = "double\n\t\x41\u00e9\U0001F600\101\q"
raw = r'raw\n'
data = b'bytes\xff\u0041'
rawb = rb"x\y"
triple = """line
two"""
joined = 'a' "b" r'\c'
empty = ''
f1 = f"hello {name}!"
f2 = f"{{literal}} {value!r:>{width}} {obj.attr['k']}"
f3 = f"{x}" "tail"
f4 = f'no values \x41'
f5 = f"{f'{inner}'}"
f6 = f"{a + 'b'}{lambda_call((lambda: 1)())}"
cont = 'a\
b'
surrogate = '\ud800'
nul = '\0'
bracket = rf"\d{n}"
