"""Formats numbers as in reports."""


def count(value: int) -> str:
    """
    >>> count(999), count(930_581), count(17_634_918_656)
    ('999', '930.58k', '17.63b')
    """
    return _scaled(value, ((10**9, "b"), (10**6, "m"), (10**3, "k")), "")


def micros(value: int) -> str:
    """
    >>> micros(7), micros(1500), micros(2_340_000)
    ('7us', '1.50ms', '2.34sec')
    """
    return _scaled(value, ((10**6, "sec"), (10**3, "ms")), "us")


def memory(value: int) -> str:
    """
    >>> memory(12), memory(1500), memory(7_340_032_000)
    ('12B', '1.50KB', '7340.03MB')
    """
    return _scaled(value, ((10**6, "MB"), (10**3, "KB")), "B")


def _scaled(value, units, smallest):
    for size, unit in units:
        if value >= size:
            return f"{value / size:.2f}{unit}"
    return f"{value}{smallest}"
