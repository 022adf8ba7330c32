"""Steps whose markers have no number: they are counted, as XProf does."""

import make
import product

US = 1_000_000


def marker(at, length, **stats):
    return ("train", at * US, length * US, {"_r": 1, **stats})


def call(at, length):
    return ("FunctionRun", at * US, length * US, {"_r": 1, "id": at})


def op(at, length):
    return ("a:Mul", at * US, length * US, {})


def write(tmp_path, *lines):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.host(*lines))
    return path


def times(path, steps, tmp_path):
    return [product.nodes(path, step, tmp_path)["a"][0] for step in steps]


def test_are_counted(tmp_path):
    """In order of time, whatever line they are on; calls outside of them are no steps."""
    path = write(tmp_path,
                 [call(0, 5), op(1, 4), marker(100, 20), call(101, 10), op(102, 3),
                  marker(140, 20), op(145, 7)],
                 [marker(120, 15), op(121, 2)])
    assert times(path, range(3), tmp_path) == [3, 2, 7]
    assert ("3 operations in 3 steps (markers without step_num: numbered in order); 1 outside of "
            "all steps") in product.run("op", path).stderr


def test_outermost_is_the_step(tmp_path):
    """Also if it lies within a root of a higher level."""
    path = write(tmp_path, [marker(0, 50, _r=2), marker(5, 10), op(6, 2), marker(20, 10), op(21, 3),
                            marker(60, 50, _r=2), op(61, 4)])
    assert times(path, range(2), tmp_path) == [5, 4]


def test_numbers_come_first(tmp_path):
    """Once a marker has a number, those without are none."""
    path = write(tmp_path, [marker(0, 20), op(1, 2), marker(30, 20, step_num=7), op(31, 3)])
    assert times(path, [7], tmp_path) == [3]
    assert "1 operation in 1 step; 1 outside of all steps" in product.run("op", path).stderr
