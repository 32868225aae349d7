if a:
    x()
elif b:
    y()
else:
    z()
for i, j in pairs:
    if i:
        k(i)
else:
    never()
while True:
    spin()
with open(p) as fh, lock:
    fh.read()
with (open(p) as f1, open(q) as f2):
    pass
async def co():
    async with sess.get(u) as resp:
        await resp.text()
    async for item in stream:
        use(item)
    r = [await z async for z in gen]
try:
    risky()
except (ValueError, TypeError) as e:
    raise Other("x") from e
except OSError:
    raise
except* Group as g:
    h(g)
else:
    fine()
finally:
    done()
match command.split():
    case ["go", where]:
        go(where)
    case Point(x=px, y=0) | Other(px):
        at(px)
    case {"k": v, **others} if v > 1:
        use(v)
    case "a" | "b" as letter:
        use(letter)
    case [first, *tail]:
        use(tail)
    case pkg.CONST:
        pass
    case other:
        use(other)
    case _:
        pass
assert ok, "message"
