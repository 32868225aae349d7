def first[T: (int, str)](xs: list[T]) -> T: return xs[0]
class Box[T]:
    item: T
type Pair[A, B] = tuple[A, B]
q = f"{d["key"]} {f"{x!s}"}"
multi = f"{
    call(1)
}"
try:
    pass
except (A, B):
    pass
print = 3
match = {"type": 1}
type = match["type"]
lambda *a, **k: (a, k)
x = yield_ = [*a, *b]
async def agen():
    return [x async for x in y if await z]
def pos(a, /, b, *, c): ...
with (yield_):
    pass
@(lambda f: f)
def decorated(): pass
t = t"template {value}"
x = 0xFF_FF + 1_000j
for *head, tail in rows: pass
return_ = (yield_ := 3)
print(*args, sep="")
assert (a, b)
raise SystemExit from None
if x:pass;y()
