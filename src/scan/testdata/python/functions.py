"""Module docs."""

@app.tool(name="add", description="Adds")
async def add(a: int, b: int = 2, *args, key="k", **kwargs) -> int:
    """Adds two."""
    def inner(z=a):
        nonlocal b
        b = z
        return z
    global total
    total = await inner()
    yield a
    x = yield b
    yield from other()
    return a + b

square = lambda v, w=1: v * w
nested = lambda: lambda u: u
names = sorted(items, key=lambda i: i.name)

def _private(pos, /, only, *, kw): pass

class Base(Parent, metaclass=Meta):
    """Base docs."""
    attr = "value"
    a, b = 1, 2

    @staticmethod
    def make(): return Base()

    @property
    def name(self):
        self.x = 1
        return self.attr

    class Inner:
        def deep(self): return 1
