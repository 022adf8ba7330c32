"""Profile.show(): a server, its address and its end; `python -m tfprof`."""

import os
import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
import tfprof
import tree
from tfprof import _programs


@pytest.fixture(autouse=True)
def server(monkeypatch):
    monkeypatch.setenv("TFPROF_UI", os.path.join(os.path.dirname(tree.program()), "tfprof-ui"))


def read(url):
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    return opener.open(url, timeout=20).read().decode()


def test_a_profile_is_shown_until_it_is_stopped(profile):
    page = profile.show(port=0)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?t=[0-9a-f]{32}", page.url)
    assert "<title>tfprof</title>" in read(page.url)
    directory = page._end.peek()[2][1]
    assert os.path.exists(os.path.join(directory, "profile"))
    page.stop()
    page.stop()
    assert not os.path.exists(directory)
    with pytest.raises(urllib.error.URLError):
        read(page.url)
    assert repr(page) == "<Page: stopped>"


def test_in_a_notebook_it_is_a_link(profile):
    with profile.show(port=0) as page:
        assert page._repr_html_() == (f'<p><a href="{page.url}" target="_blank" rel="noopener">'
                                      'Open the profile in a new tab</a></p>')


def test_it_ends_with_python(loop_files):
    script = f"import tfprof; print(tfprof.load({str(loop_files / 'profile')!r}).show(port=0).url)"
    url = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.strip()
    with pytest.raises(urllib.error.URLError):
        read(url)


def test_a_missing_server_is_an_error_that_says_where_it_comes_from(profile, monkeypatch):
    monkeypatch.setattr(_programs, "_places", lambda *_: ["/nowhere/tfprof-ui"])
    with pytest.raises(tfprof.FileError, match="install libmicrohttpd-dev and npm"):
        profile.show()


def test_the_module_runs_the_page(loop_files):
    process = subprocess.Popen([sys.executable, "-m", "tfprof", "ui", str(loop_files / "profile"), "--port=0"],
                               stdout=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip()
    assert "<title>tfprof</title>" in read(address)
    process.terminate()
    assert process.wait(10) == 0
    process.stdout.close()
