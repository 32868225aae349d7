from __future__ import annotations
import os, sys as system
import a.b.c
import a.b as ab
from os import path, environ as env
from . import sibling
from ..pkg.mod import (one, two as deux,)
from json import *
try:
    import requests
except ImportError:
    requests = None

def late():
    import subprocess as sp
    from base64 import b64decode
    return sp, b64decode
