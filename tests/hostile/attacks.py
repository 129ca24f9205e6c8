"""Hostile notebooks, as data. Each is handed in by a student of that name; what it earns honestly stands beside it.

Words in <angles> are filled in by the test: places outside the sandbox that are there to be found. What an attack
manages to take it puts into `loot`, which ends up in the text that is collected for marking by hand.
"""

from __future__ import annotations

# ruff: noqa: E501 (an attack is easier to read in one piece)
from typing import NamedTuple


class Attack(NamedTuple):
    """Code that runs before the answers, and how the notebook goes on."""

    code: str
    honest: bool = False  # whether right answers follow, which then earn what they are worth
    statuses: tuple[str, ...] = ("graded", "to mark")
    after: str = ""  # code after the answers


ZERO = """
def cg_at(grades, k=None): return 0
def cg_curve(grades): return 0
def cg_with_loop(grades, k): return 0
"""

ENDS = ("graded", "to mark", "stopped", "crashed")

LOOT = """
try:
    if isinstance(loot, list) and [x for x in loot if type(x) is int and x >= 0]: loot.insert(0, 'OPEN')
    what_cg_misses = "loot " + str(loot)[:3000] + " word" * 30
except BaseException as e:
    what_cg_misses = "nothing was taken " + type(e).__name__ + " word" * 30
"""

FIND = """
def taken(*works):
    found = []
    for work in works:
        try: found.append(work())
        except BaseException as e: found.append(type(e).__name__)
    return found
"""

ATTACKS: dict[str, Attack] = {
    # ---- what is patched ----
    "builtins-abs": Attack("import builtins; builtins.abs = lambda x: 0"),
    "builtins-isinstance": Attack(
        "import builtins; builtins.isinstance = lambda *a: True; builtins.len = lambda x: 0", statuses=ENDS
    ),
    "builtins-type": Attack("import builtins; builtins.type = lambda *a: float; builtins.float = lambda x=0: 1.0"),
    "numpy-patched": Attack("import numpy as np; np.isclose = np.allclose = np.array_equal = lambda *a, **k: True"),
    "json-patched": Attack(
        'import json; real = json.dumps\njson.dumps = lambda *a, **k: \'{"passed": true, "points": 99}\'',
        statuses=ENDS,
    ),
    "json-loads-patched": Attack(
        "import json; json.loads = lambda *a, **k: {'task': 'cg_at', 'calls': []}", statuses=ENDS
    ),
    "modules-replaced": Attack(
        "import sys, types\nfor n in ('math', 'json', 'ndcg_course.explain.judge', 'ndcg_course.explain.faults'):\n"
        "    sys.modules[n] = types.ModuleType(n)"
    ),
    "modules-cleared": Attack("import sys; sys.modules.clear()", statuses=ENDS),
    "import-hook": Attack(
        "import sys\nclass H:\n    def find_spec(self, *a): raise SystemExit\nsys.meta_path.insert(0, H())\n"
        "import builtins; builtins.__import__ = lambda *a, **k: 1 / 0"
    ),
    "stub-patched": Attack("import ndcg_course as e; e.check = lambda *a: 'right'; e.own = lambda *a: {}"),
    "encode-patched": Attack(
        "import gc, types\nfor o in gc.get_objects():\n"
        "    if isinstance(o, types.FunctionType) and o.__name__ in ('encode', '_call', '_send', 'send'):\n"
        "        o.__code__ = (lambda *a, **k: {'value': {'type': 'int', 'number': 1}, 'passed': True}).__code__",
        statuses=ENDS,
    ),
    "main-replaced": Attack("import sys, types; sys.modules['__main__'] = types.ModuleType('__main__')"),
    "trace-function": Attack("import sys\nsys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)"),
    "recursion-limit": Attack("import sys; sys.setrecursionlimit(50)", statuses=ENDS),
    # ---- objects that lie ----
    "equals-everything": Attack(
        "class E(float):\n    def __eq__(s, o): return True\n    __lt__ = __gt__ = __le__ = __ge__ = __eq__\n"
        "    def __sub__(s, o): return 0.0\n    __rsub__ = __sub__\n    __hash__ = float.__hash__",
        after="def cg_at(g, k=None): return E(1)\ncg_curve = cg_with_loop = lambda *a: E(1)\ncg_by_hand = E(1)",
    ),
    "lies-about-type": Attack(
        "class L:\n    __class__ = float\n    __module__ = 'builtins'\n    def __float__(s): return 1.0",
        after="cg_at = cg_curve = cg_with_loop = lambda *a: L()\ncg_by_hand = L()",
    ),
    "metaclass-name": Attack(
        "class M(type):\n    __name__ = property(lambda s: 1 / 0)\nclass L(metaclass=M): pass",
        after="cg_at = cg_curve = cg_with_loop = lambda *a: L()",
    ),
    "nan-and-infinity": Attack(
        "", after="cg_at = cg_with_loop = lambda *a: float('nan')\ncg_curve = lambda g: [float('inf')] * len(g)"
    ),
    "huge-integer": Attack(
        "", after="cg_at = cg_with_loop = lambda *a: 10 ** 5000\ncg_curve = lambda g: [10 ** 400] * len(g)"
    ),
    "true-for-a-number": Attack("", after="cg_at = cg_with_loop = lambda *a: True\nuseless_rank = True"),
    "deep-value": Attack(
        "x = []\nfor _ in range(100000): x = [x]",
        after="cg_at = cg_curve = lambda *a: x\nblind_pair = x",
        statuses=ENDS,
    ),
    "own-circle": Attack(
        "x = []; x.append(x)", after="cg_at = cg_curve = lambda *a: x\nblind_pair = {'better': x, 'worse': x}"
    ),
    "long-value": Attack(
        "", after="cg_at = cg_with_loop = lambda *a: 'x' * 10 ** 7\ncg_curve = lambda g: [1.5] * 10 ** 6"
    ),
    "dict-subclass": Attack(
        "class D(dict):\n    def get(s, *a): return [3] * 5\n    def items(s): return [('better', [3,3,0,0,0])] * 3",
        after="blind_pair = D()",
    ),
    # ---- constants, memory, hunts ----
    "constant-zero": Attack("", after="cg_at = cg_with_loop = lambda *a: 0\ncg_curve = lambda g: []"),
    "constant-one": Attack("", after="cg_at = cg_with_loop = lambda *a: 1\ncg_curve = lambda g: [1]"),
    "random-guesses": Attack("import random", after="cg_at = cg_with_loop = lambda *a: random.randint(0, 9)"),
    "gc-hunt": Attack(
        "import gc\nloot = [o for o in gc.get_objects() if isinstance(o, dict) and ('reference' in o or 'target' in o"
        " or 'solution' in o)][:3]"
    ),
    "frame-hunt": Attack(
        "import sys\nf, loot = sys._getframe(), []\nwhile f:\n    loot.append(sorted(f.f_locals)[:40]); f = f.f_back\n"
        "loot = [n for names in loot for n in names if n in ('reference', 'targets', 'expected', 'answers', 'points')]"
    ),
    "proc-hunt": Attack(
        FIND + "loot = taken(*(lambda p=p: open(p, 'rb').read(4000) for p in ('/proc/self/maps', '/proc/self/environ',"
        " '/proc/self/mem', '/proc/<parent>/environ', '/proc/<parent>/cmdline', '/proc/1/environ', '/proc/self/fd')))"
    ),
    "proc-write": Attack(
        FIND + "loot = taken(*(lambda p=p: open(p, 'wb').write(b'1') for p in ('/proc/self/mem', '/proc/<parent>/mem',"
        " '/proc/self/oom_score_adj', '/proc/sys/kernel/core_pattern')))"
    ),
    "ptrace": Attack("import ctypes\nloot = [ctypes.CDLL(None).ptrace(16, <parent>, 0, 0)]"),
    "process-memory": Attack(
        "import ctypes\nl = ctypes.CDLL(None); b = ctypes.create_string_buffer(64)\n"
        "loot = [l.process_vm_readv(<parent>, ctypes.byref(b), 1, ctypes.byref(b), 1, 0), l.syscall(438, 3, 0, 0)]"
    ),
    "reference-importable": Attack(
        FIND + "import importlib\nloot = taken(*(lambda n=n: importlib.import_module(n).__name__ for n in ("
        "'ndcg_lib.core', 'ndcg_course.tasks', 'ndcg_course.tasks.task', 'sklearn.metrics', 'ir_measures')))"
    ),
    "grader-importable": Attack(
        FIND + "import sys\nsys.path += ['<kit>', '<kit>/ndcg_lib', '<kit>/ndcg_course/grade', '<kit>/tests']\n"
        "for n in [n for n in sys.modules if n.startswith('ndcg_lib')]: del sys.modules[n]\n"
        "import importlib\nloot = taken(*(lambda n=n: importlib.import_module(n).__file__ for n in ("
        "'ndcg_course.grade', 'ndcg_lib', 'grading', 'session', 'exercises', 'inside.child')))"
    ),
    "library-answers": Attack("", after="import ndcg_lib as nd\ndef cg_at(g, k=None): return nd.cg(g, k)"),
    "source-on-disk": Attack(
        FIND + "loot = taken(*(lambda p=p: open(p).read() for p in ('<kit>/ndcg_lib/core.py', '<kit>/solutions/"
        "02-cumulative-gain.md', '<kit>/ndcg_course/tasks/02-cumulative-gain.json', '<kit>/ndcg_course/"
        "solutions/02-cumulative-gain.json')))"
    ),
    "earlier-student": Attack(
        "import gc\nloot = [s for o in gc.get_objects() if isinstance(o, (dict, list, tuple)) for s in"
        " (o.values() if isinstance(o, dict) else o) if isinstance(s, str) and 'NEIGHBOUR' in s and len(s) < 500]"
    ),
    "raw-memory": Attack(
        "import ctypes\nloot = []\nfor a in range(id(loot) - (1 << 22), id(loot), 1 << 16):\n"
        "    b, word = ctypes.string_at(a, 1 << 16), b'-RUOBHGIEN'[::-1]\n    if word in b: loot.append(b[b.find(word):][:40])",
        statuses=ENDS,
    ),
    # ---- the pipe ----
    "forged-lines": Attack(
        "import os, json\nfor _ in range(50): os.write(4, (json.dumps({'value': {'type': 'int', 'number': 1},"
        " 'mark': ''}) + chr(10)).encode())",
        statuses=ENDS,
    ),
    "forged-ready": Attack(
        'import os\nos.write(4, b\'{"cell": 1, "error": ""}\\n{"ready": true}\\n\' * 9)', statuses=ENDS
    ),
    "forged-points": Attack(
        'import os\nos.write(4, b\'{"points": 99, "status": "right", "passed": true}\\n\')', statuses=ENDS
    ),
    "endless-line": Attack("import os\nwhile True: os.write(4, b'x' * 60000)", statuses=ENDS),
    "broken-json": Attack("import os\nos.write(4, b'{]' + bytes(range(1, 10)) + b'\\xff\\n')", statuses=ENDS),
    "deep-json": Attack("import os\nos.write(4, b'[' * 50000 + b'\\n')", statuses=ENDS),
    "twice-the-key": Attack(
        'import os\nos.write(4, b\'{"cell": 1, "cell": 2, "mark": 1, "mark": 2}\\n\')', statuses=ENDS
    ),
    "number-too-long": Attack("import os\nos.write(4, b'{\"value\": ' + b'9' * 60000 + b'}\\n')", statuses=ENDS),
    "pipe-closed": Attack("import os; os.closerange(0, 64)", statuses=ENDS),
    "question-stolen": Attack(
        "", after="import os\ndef cg_at(g, k=None):\n    os.read(3, 65536); return 1", statuses=ENDS
    ),
    "all-lines-at-once": Attack(
        "",
        after="import os, json, sys\ndef cg_at(g, k=None):\n    f = sys._getframe()\n    while 'batch' not in f.f_locals:\n"
        "        f = f.f_back\n    m = f.f_locals['batch']['mark']\n    for _ in range(99):\n"
        "        os.write(4, (json.dumps({'mark': m, 'value': {'type': 'int', 'number': 3}}) + chr(10)).encode())\n"
        "    return 3",
        statuses=ENDS,
    ),
    # ---- too much ----
    "gigabytes-printed": Attack("for _ in range(4000): print('x' * 1_000_000)", honest=True, statuses=ENDS),
    "gigabytes-to-descriptors": Attack(
        "import os\nfor _ in range(4000):\n    os.write(1, b'x' * 1_000_000); os.write(2, b'x' * 1_000_000)",
        honest=True,
        statuses=ENDS,
    ),
    "gigabytes-of-memory": Attack("hog = bytearray(6 << 30)", honest=True),
    "memory-bit-by-bit": Attack("hog = []\nwhile True: hog.append(bytearray(1 << 20))", honest=True),
    "memory-by-mmap": Attack("import mmap\nhog = [mmap.mmap(-1, 1 << 28) for _ in range(64)]", honest=True),
    "gigabytes-of-files": Attack(
        "for i in range(10**6):\n    with open(str(i), 'wb') as f: f.write(b'x' * 1_000_000)",
        honest=True,
        statuses=ENDS,
    ),
    "many-files": Attack("for i in range(10**7): open(f'f{i}', 'w').close()", honest=True, statuses=ENDS),
    "many-descriptors": Attack("hog = [open('/dev/null') for _ in range(10**5)]", honest=True),
    "fork-bomb": Attack("import os\nwhile True: os.fork()", honest=True),
    "fork-by-number": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.syscall(n, 0x11, 0, 0, 0, 0) for n in (56, 57, 58, 220, 435)]\n"
    ),
    "thread-bomb": Attack(
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()", honest=True
    ),
    "processes-by-library": Attack(
        FIND + "import os\nloot = taken(lambda: __import__('subprocess').run(['/bin/echo', 'ESCAPED']),"
        " lambda: 1 // (os.system('echo ESCAPED > <folder>/escaped') == 0), lambda: __import__('multiprocessing').Process(target=print).start(),"
        " lambda: os.execv('/bin/sh', ['sh', '-c', 'echo ESCAPED > <folder>/escaped']), lambda: os.posix_spawn('/bin/true', ['true'], {}))",
    ),
    "regex-bomb": Attack("import re\nre.match(r'(a+)+$', 'a' * 60 + 'b')", honest=True, statuses=ENDS),
    "power-bomb": Attack("x = 9 ** 9 ** 9", honest=True, statuses=ENDS),
    # ---- endless ----
    "loop-in-a-cell": Attack("while True: pass", honest=True),
    "loop-that-catches": Attack(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass", honest=True, statuses=ENDS
    ),
    "loop-without-alarm": Attack(
        "import signal; signal.signal(14, signal.SIG_IGN)\nwhile True: pass", honest=True, statuses=ENDS
    ),
    "loop-in-a-call": Attack("", after="def cg_at(g, k=None):\n    while True: pass", statuses=ENDS),
    "sleep-in-each-call": Attack(
        "", after="import time\ndef cg_at(g, k=None): time.sleep(0.3); return 0", statuses=ENDS
    ),
    "loop-in-c": Attack("import itertools; sum(itertools.count())", honest=True, statuses=ENDS),
    "loop-in-import": Attack(
        "import sys\nclass H:\n    def find_spec(self, *a):\n        while True: pass\nsys.meta_path.insert(0, H())\nimport nowhere",
        honest=True,
        statuses=ENDS,
    ),
    "loop-in-repr": Attack(
        "class R:\n    def __repr__(s):\n        while True: pass\n    __str__ = __repr__",
        after="cg_at = lambda *a: R()\ncg_by_hand = R()\nprint(R())",
        statuses=ENDS,
    ),
    "loop-in-del": Attack(
        "class D:\n    def __del__(s):\n        while True: pass",
        after="def cg_at(g, k=None): D(); return 0\nx = D(); del x",
        statuses=ENDS,
    ),
    "loop-in-float": Attack(
        "class F:\n    def __float__(s):\n        while True: pass", after="cg_at = lambda *a: F()", statuses=ENDS
    ),
    # ---- ends ----
    "os-exit": Attack("import os; os._exit(0)", honest=True, statuses=("crashed",)),
    "sys-exit": Attack("import sys; sys.exit(0)", honest=True),
    "exit-in-a-call": Attack("", after="import os\ndef cg_at(g, k=None): os._exit(0)", statuses=("crashed",)),
    "segfault": Attack("import ctypes; ctypes.string_at(0)", honest=True, statuses=("crashed",)),
    "abort": Attack("import os; os.abort()", honest=True, statuses=("crashed",)),
    "stack-overflow": Attack(
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nf()", honest=True, statuses=ENDS
    ),
    "killed-by-itself": Attack("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", honest=True),
    "stops-itself": Attack("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", honest=True),
    "exit-handlers": Attack("import atexit\natexit.register(lambda: open('<folder>/escaped', 'w').write('1'))"),
    # ---- signals to others ----
    "kill-the-parent": Attack(
        FIND
        + "import os\nloot = taken(*(lambda s=s, p=p: os.kill(p, s) for s in (9, 15, 19) for p in (<parent>, os.getppid(), -1, 0)))"
    ),
    "kill-by-number": Attack(
        "import ctypes, os\nl = ctypes.CDLL(None)\nloot = [l.syscall(n, <parent>, 9, 0, 0) for n in (62, 200, 424)] + [l.syscall(234, <parent>, <parent>, 9)]"
    ),
    "owner-signals": Attack(
        "import fcntl, os\nloot = []\nfor fd in (3, 4, 5):\n    for owner in (<parent>, os.getppid()):\n"
        "        for command, value in ((8, owner), (10, 9), (4, 0x2000)):\n"
        "            try: fcntl.fcntl(fd, command, value); loot.append(('OPEN', fd, command))\n"
        "            except OSError as e: pass\n"
    ),
    "owner-by-ioctl": Attack(
        "import fcntl, struct\nloot = []\nfor fd in (3, 4, 5):\n    for r in (0x8901, 0x8902, 0x5452):\n        try: fcntl.ioctl(fd, r, struct.pack('i', <parent>)); loot.append(('OPEN', r))\n        except OSError: pass"
    ),
    "limits-of-the-parent": Attack(
        FIND
        + "import resource\nloot = taken(lambda: resource.prlimit(<parent>, resource.RLIMIT_CPU, (1, 1)), lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)))"
    ),
    "second-grader": Attack(
        "import os, sys\nraise RuntimeError('out')",
        after="import sys\ndef cg_at(g, k=None):\n    f = sys._getframe()\n    while f.f_back: f = f.f_back\n    f.f_globals['main'] = None\n"
        "    raise GeneratorExit",
        statuses=ENDS,
    ),
    # ---- outside ----
    "sockets": Attack(
        FIND + "import socket\nloot = taken(lambda: socket.create_connection(('127.0.0.1', <port>), 1),"
        " lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + '<abstract>'), lambda: socket.socketpair(),"
        " lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', <port>)),"
        " lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW), lambda: socket.socket(socket.AF_NETLINK))"
    ),
    "sockets-from-descriptors": Attack(
        "import socket, os\nloot = []\nfor fd in range(3, 300):\n    try: s = socket.socket(fileno=fd); s.send(b'f'); loot.append(fd)\n    except OSError: pass",
        statuses=ENDS,
    ),
    "io-uring": Attack(
        "import ctypes\nl = ctypes.CDLL(None); b = ctypes.create_string_buffer(200)\nloot = [l.syscall(425, 4, b)]"
    ),
    "x32-numbers": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.syscall(0x40000000 + n, 2, 1, 0) for n in (41, 57, 62)]"
    ),
    "namespaces": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.unshare(0x10000000), l.mount(b'none', b'/tmp', b'tmpfs', 0, 0), l.chroot(b'/'), l.setns(3, 0), l.prctl(38, 0, 0, 0, 0)]"
    ),
    "shared-memory": Attack(
        FIND
        + "import ctypes\nl = ctypes.CDLL(None)\nloot = taken(lambda: __import__('multiprocessing.shared_memory').shared_memory.SharedMemory('ndcg', True, 4096).name, lambda: l.shmget(1, 4096, 0o1777), lambda: l.syscall(319, b'x', 0))"
    ),
    "become-root": Attack(
        FIND + "import os\nloot = taken(lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]))"
    ),
    "inherited-descriptors": Attack(
        "import os\nloot = []\nfor fd in range(6, 4096):\n    try: os.fstat(fd); loot.append(('OPEN', fd))\n    except OSError: pass"
    ),
    "read-outside": Attack(
        FIND
        + "import os\nloot = taken(*(lambda p=p: open(p).read() for p in ('<canary>', '<neighbour>', '/etc/passwd',"
        " '/etc/shadow', os.path.expanduser('~/.bashrc'))), *(lambda p=p: os.listdir(p) for p in ('/', '/tmp', '<folder>',"
        " '<submissions>', '<output>', '/home', '/root', '/proc')))"
    ),
    "read-by-climbing": Attack(
        FIND
        + "import os\nloot = taken(lambda: open('../' * 20 + '<canary>'[1:]).read(), lambda: os.chdir('/'), lambda: os.symlink('<canary>', 'l'), lambda: os.link('<canary>', 'h'), lambda: open('l').read())"
    ),
    "read-by-mmap": Attack(
        FIND
        + "import os\nloot = taken(lambda: __import__('mmap').mmap(os.open('<canary>', os.O_RDONLY), 0, prot=1)[:], lambda: __import__('linecache').getlines('<canary>'), lambda: __import__('numpy').fromfile('<canary>', 'u1').tobytes(), lambda: __import__('numpy').memmap('<canary>', 'u1').tobytes())"
    ),
    "write-outside": Attack(
        FIND
        + "import os\nloot = taken(lambda: open('<folder>/escaped', 'w').write('1'), lambda: os.mkdir('<folder>/escaped'),"
        " lambda: os.chmod('<folder>', 0), lambda: os.utime('<canary>', (0, 0)), lambda: os.truncate('<canary>', 0),"
        " lambda: os.rename('<canary>', '<folder>/escaped'), lambda: os.unlink('<canary>'), lambda: open('/tmp/escaped-ndcg', 'w').write('1'))"
    ),
    "gradebook-rewritten": Attack(
        FIND
        + "loot = taken(*(lambda n=n: open('<output>/' + n, 'a').write('99') for n in ('grades.csv', 'results.jsonl', 'run.json', 'to-mark.csv')))"
    ),
    "environment": Attack("import os\nloot = dict(os.environ), os.path.expanduser('~')"),
    "devices": Attack(
        FIND
        + "import os\nloot = taken(*(lambda p=p: open(p, 'rb').read(9) for p in ('/dev/mem', '/dev/kmsg', '/dev/tty', '/dev/sda', '/dev/vda', '/dev/shm/x')), lambda: os.mkfifo('f'), lambda: os.mknod('n'))"
    ),
    "folders-and-links": Attack(
        FIND
        + "import os\nloot = taken(lambda: os.mkdir('d'), lambda: os.makedirs('a/' * 500), lambda: os.symlink('/', 'root'))",
        statuses=ENDS,  # more folders than it may, where no kernel keeps that limit
    ),
    # ---- what is handed back ----
    "input-in-the-error": Attack("", after="def cg_at(g, k=None): raise ValueError(f'HIDDEN {g} {k}')"),
    "input-in-the-error-type": Attack("", after="def cg_at(g, k=None): raise type(f'HIDDEN {g}', (Exception,), {})"),
    "input-in-the-value": Attack(
        "", after="def cg_at(g, k=None): return f'HIDDEN {g} {k}'\ndef cg_curve(g): return {f'HIDDEN {g}': 1}"
    ),
    "input-in-the-class": Attack("", after="def cg_at(g, k=None): return type(f'HIDDEN {g}', (), {})()"),
    "input-kept-for-later": Attack(
        "kept = []",
        after="def cg_at(g, k=None): kept.append(f'HIDDEN {g}'); global what_cg_misses, cg_by_hand;"
        " what_cg_misses = cg_by_hand = 'HIDDEN ' + repr(kept) + ' word' * 30; return 0",
    ),
    "input-left-for-the-next-process": Attack(
        "import os\nplaces = ['left', '../left', '/tmp/left', '/var/tmp/left', '/dev/shm/left', os.path.expanduser('~/left')]\nfound = ''\n"
        "for place in places:\n    try: found += open(place).read()\n    except OSError: pass",
        after="def cg_at(g, k=None):\n    for place in places:\n        try: open(place, 'a').write(repr(g))\n        except OSError: pass\n"
        "    raise ValueError(('LEFT' + '-BEHIND ' + found) if found else 'nothing was here')",
    ),
    "input-returned-always": Attack(
        "first = []",
        after="def cg_curve(g):\n    if not first: first.extend(['HIDDEN', *g, 7])\n    return list(first)",
    ),
    "script-in-the-text": Attack("loot = '<script>alert(1)</script><img src=x onerror=alert(2)>'"),
    "script-in-values": Attack(
        "", after="cg_by_hand = '<script>alert(3)</script>'\nuseless_rank = '\"><svg onload=alert(4)>'"
    ),
    "script-in-the-id": Attack("", after="student_id = '<script>alert(5)</script>'"),
    "formula-in-the-text": Attack("loot = '=cmd|calc!A0'\nuseless_rank = '=1+1'"),
    # ---- the kernel, by its other doors ----
    "process-by-descriptor": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.syscall(434, <parent>, 0), l.syscall(434, 1, 0), l.syscall(440, 3, 0, 0, 21, 0)]"
    ),
    "faults-by-hand": Attack("import ctypes\nloot = [ctypes.CDLL(None).syscall(323, n) for n in (0, 1, 0x80000)]"),
    "memory-files": Attack(
        FIND
        + "import os, ctypes\nloot = taken(lambda: os.memfd_create('x'), lambda: ctypes.CDLL(None).syscall(447, 0))"
    ),
    "dumpable-again": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.prctl(n, 1, 0, 0, 0) for n in (4, 1, 59, 0x59616d61, 22)]"
    ),
    "keys-of-the-kernel": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.syscall(250, 0, -3, 1), l.syscall(248, b'user', b'ndcg', b'ESCAPED', 7, -3)]"
    ),
    "watching-files": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.inotify_init(), l.inotify_init1(0), l.fanotify_init(0, 0), l.syscall(300, 0, 0)]"
    ),
    "locked-memory": Attack("import ctypes\nl = ctypes.CDLL(None)\nloot = [l.mlockall(3), l.syscall(325, 0, 4096, 0)]"),
    "queues-and-semaphores": Attack(
        FIND
        + "import ctypes\nl = ctypes.CDLL(None)\nloot = taken(lambda: l.semget(7, 1, 0o1666), lambda: l.msgget(7, 0o1666),"
        " lambda: l.shmget(7, 4096, 0o1666), lambda: l.syscall(240, b'ndcg', 0o102, 0o666, 0),"
        " lambda: __import__('_multiprocessing').SemLock(0, 1, 1, '/ndcg', False).handle, lambda: open('/dev/shm/ndcg', 'w').write('1'),"
        " lambda: open('/dev/mqueue/ndcg', 'w').write('1'))"
    ),
    "left-for-the-next": Attack(
        FIND + "import os\nloot = taken(lambda: [x for x in os.listdir('.') if x], lambda: open('note').read())\n"
        "loot = ['OPEN' for x in loot if x == 'left' or x and type(x) is list]\nopen('note', 'w').write('left')",
        after="open('note', 'a').write('left')",
    ),
    "left-for-the-next-again": Attack("import os\nloot = ['OPEN' for x in os.listdir('.')]"),
    "priorities": Attack(
        FIND
        + "import os\nloot = taken(lambda: os.setpriority(os.PRIO_PROCESS, <parent>, 19) or 1, lambda: os.nice(-5),"
        " lambda: os.sched_setaffinity(0, {0}) or 1, lambda: os.sched_setaffinity(<parent>, {0}) or 1,"
        " lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) or 1)"
    ),
    "timers-that-signal": Attack(
        "import ctypes\nl = ctypes.CDLL(None); b = ctypes.create_string_buffer(64)\nloot = [l.syscall(222, 0, b, b), l.syscall(283, 0, 0), l.syscall(282, -1, b, 8, 0)]"
    ),
    "alarms-everywhere": Attack(
        "import signal\nfor s in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF): signal.signal(s, lambda *a: 1 / 0)\n"
        "signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6); signal.setitimer(signal.ITIMER_PROF, 1e-5, 1e-5)",
        statuses=ENDS,
    ),
    "every-signal-caught": Attack(
        "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, lambda *a: None)\n    except (OSError, ValueError): pass\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
        honest=True,
        statuses=ENDS,
    ),
    "blind-writes": Attack(
        "import os\nfor fd in range(3, 256):\n    for text in (b'{\"passed\": true}\\n', b'f', b'e', b'0 \\n'):\n"
        "        try: os.write(fd, text)\n        except OSError: pass",
        statuses=ENDS,
    ),
    "cells-told-ahead": Attack(
        "import os\nfor i in range(40): os.write(5, b'%d \\n' % i)\nwhile True: pass", statuses=ENDS
    ),
    "cells-told-without-end": Attack("import os\nwhile True: os.write(5, b'9' * 4096)", statuses=ENDS),
    "cells-told-wrongly": Attack("import os\nos.write(5, b'HIDDEN HIDDEN\\n' * 9)", statuses=ENDS),
    "output-that-writes-lines": Attack(
        "import os, sys\nclass O:\n    encoding = 'utf8'\n    def write(s, t): os.write(4, b'{\"ready\": true}\\n'); return 1\n"
        "    def flush(s): pass\nsys.stdout = sys.stderr = sys.__stdout__ = O(); print('x')",
        statuses=ENDS,
    ),
    "late-destructors": Attack(
        "import os, atexit, sys\nclass D:\n    def __del__(s): os.write(4, b'{\"answers\": []}\\n'); open('<folder>/escaped', 'w')\n"
        "sys.kept = [D()]; atexit.register(D().__del__)",
        after="import sys\ndel sys.kept\nraise SystemExit",
        statuses=ENDS,
    ),
    "threads-between-calls": Attack(
        FIND
        + "import threading, _thread\nloot = taken(lambda: threading.Thread(target=print).start(), lambda: _thread.start_new_thread(print, ()),"
        " lambda: __import__('concurrent.futures').futures.ThreadPoolExecutor().submit(print).result(1), lambda: __import__('asyncio').run(None))"
    ),
    "own-group-killed": Attack(
        "import os, signal\nfor f in (lambda: os.killpg(0, 9), lambda: signal.raise_signal(9), lambda: signal.pidfd_send_signal(3, 9)):\n"
        "    try: f()\n    except BaseException: pass",
        honest=True,
        statuses=ENDS,
    ),
    "limits-changed": Attack(
        FIND
        + "import resource as r\nloot = taken(*(lambda n=n: r.setrlimit(n, (r.RLIM_INFINITY,) * 2) or 1 for n in (r.RLIMIT_AS, r.RLIMIT_CPU,"
        " r.RLIMIT_FSIZE, r.RLIMIT_NPROC, r.RLIMIT_NOFILE, r.RLIMIT_CORE, r.RLIMIT_MEMLOCK)))"
    ),
    "user-namespace": Attack(
        FIND
        + "import os, ctypes\nl = ctypes.CDLL(None)\nloot = taken(lambda: l.unshare(0x10000000), lambda: l.syscall(272, 0x30000000),"
        " lambda: l.syscall(56, 0x10000011, 0, 0, 0, 0), lambda: os.chroot('.') or 1, lambda: l.pivot_root(b'.', b'.'),"
        " lambda: l.mount(b'proc', b'.', b'proc', 0, 0), lambda: l.syscall(428, -100, b'/', 1), lambda: l.syscall(430, b'tmpfs', 0))"
    ),
    "kernel-programs": Attack(
        "import ctypes\nl = ctypes.CDLL(None); b = ctypes.create_string_buffer(128)\nloot = [l.syscall(321, 0, b, 128), l.syscall(298, b, 0, -1, -1, 0), l.syscall(317, 1, 0, b)]"
    ),
    "other-forks": Attack(
        FIND
        + "import os, ctypes\nl = ctypes.CDLL(None); b = ctypes.create_string_buffer(88)\nloot = taken(lambda: l.syscall(58), lambda: l.syscall(435, b, 88),"
        " lambda: os.forkpty(), lambda: os.posix_spawn('/bin/true', ['true'], {}), lambda: l.syscall(322, 3, b'', 0, 0, 0x1000))"
    ),
    "rules-loosened": Attack(
        "import ctypes, struct\nl = ctypes.CDLL(None)\nloot = [l.syscall(444, struct.pack('Q', 1), 8, 0), l.syscall(446, 3, 0), l.syscall(317, 0, 0, 0)]"
    ),
    "files-renamed-and-shared": Attack(
        FIND
        + "import os\nopen('a', 'w').write('x')\nloot = taken(lambda: os.rename('a', '<folder>/escaped') or 1, lambda: os.link('a', '<folder>/escaped') or 1,"
        " lambda: os.replace('<canary>', 'b') or 1, lambda: os.chmod('a', 0o6777) or 1, lambda: os.setxattr('a', 'user.x', b'1') or 1)"
    ),
    "folder-of-dots": Attack(
        "import os\nfor i in range(150): open('.' * (i + 3), 'w').close(); open('\\n' * (i + 1), 'w').close()",
        statuses=ENDS,
    ),
    "system-libraries": Attack(
        FIND
        + "import glob\nloot = taken(*(lambda p=p: [x for x in glob.glob(p)][:3] for p in ('/etc/*', '/home/*', '/root/*', '/var/*', '/usr/local/lib/python*/site-packages/*', '/proc/[0-9]*')))\n"
        "loot = ['OPEN' for found in loot if found]"
    ),
    # ---- what comes back looks like an answer ----
    "number-subclasses": Attack(
        "class I(int):\n    def __eq__(s, o): return True\n    def __abs__(s): return 0\n    def __lt__(s, o): return True\n    __hash__ = int.__hash__\n"
        "class S(str):\n    def __eq__(s, o): return True\n    def strip(s): return s\n    def casefold(s): return s\n    __hash__ = str.__hash__",
        after="cg_at = cg_with_loop = lambda *a: I(7)\ncg_curve = lambda g: [I(7)] * len(g)\nuseless_rank = S('x')\ncg_by_hand = I(0)",
    ),
    "numbers-as-words": Attack(
        "",
        after="cg_at = lambda g, k=None: str(sum(g[:k]))\ncg_with_loop = lambda g, k: complex(sum(g[:k]))\ncg_curve = lambda g: 'x' * len(g)",
    ),
    "never-ending-generators": Attack(
        "",
        after="import itertools\ncg_at = cg_with_loop = lambda *a: itertools.count()\ncg_curve = lambda g: (x for x in itertools.count())",
    ),
    "arrays-of-anything": Attack(
        "import numpy as np\nclass O:\n    def __eq__(s, o): return True",
        after="cg_at = lambda *a: np.array(O())\ncg_curve = lambda g: np.array([O()] * len(g))\ncg_with_loop = lambda *a: np.float64('nan')\nblind_pair = np.array([{}])",
    ),
    "minus-nothing": Attack(
        "",
        after="cg_at = cg_with_loop = lambda *a: -0.0\ncg_curve = lambda g: [-0.0] * len(g)\ncg_by_hand = 10 ** 10000",
    ),
    "keys-twice": Attack(
        "class K(str):\n    def __hash__(s): return id(s)\n    def __eq__(s, o): return s is o",
        after="blind_pair = {K('better'): [3], K('better'): [1], K('worse'): [2], float('nan'): 1, float('nan'): 2, (1,): 3}",
    ),
    "deep-in-every-way": Attack(
        "def deep(x, n):\n    for i in range(n): x = {'a': x} if i % 2 else (x,)\n    return x",
        after="cg_at = lambda *a: deep(1, 6)\ncg_curve = lambda g: deep(1, 50000)\nblind_pair = deep([1], 900)",
        statuses=ENDS,
    ),
    "wide-and-deep": Attack(
        "x = [1.5] * 2000\nfor _ in range(3): x = [x] * 2000",
        after="cg_at = cg_curve = lambda *a: x\nblind_pair = x",
        statuses=ENDS,
    ),
    "input-in-a-module-name": Attack(
        "",
        after="def cg_at(g, k=None):\n    c = type('C', (), {}); c.__module__ = f'HIDDEN {g}'; c.__name__ = f'HIDDEN{sum(g)}'; return c()",
    ),
    "input-in-a-builtin-name": Attack(
        "import builtins",
        after="def cg_at(g, k=None):\n    e = type(f'HIDDEN{len(g)}', (ValueError,), {'__module__': 'builtins'}); builtins.HIDDEN = e; raise e(g)",
    ),
    "input-in-a-dtype": Attack(
        "import numpy as np",
        after="def cg_at(g, k=None): return np.zeros(2, dtype=[('HIDDEN' + '_'.join(map(str, g)), 'f8')])",
    ),
    "input-by-the-chosen-error": Attack(
        "import builtins\nkinds = sorted(n for n, k in vars(builtins).items() if isinstance(k, type) and issubclass(k, Exception))",
        after="def cg_at(g, k=None):\n    try: raise getattr(builtins, kinds[int(sum(g)) % len(kinds)])('HIDDEN')\n    except UnicodeError: raise ValueError('HIDDEN')",
        statuses=ENDS,
    ),
    "input-in-a-file": Attack(
        "import os\nif os.path.exists('kept'): what_cg_misses = 'HIDDEN ' + open('kept').read() + ' word' * 30",
        after="def cg_at(g, k=None):\n    with open('kept', 'a') as f: f.write(f'HIDDEN {g}')\n    import os; os._exit(0)",
        statuses=ENDS,
    ),
    "forged-verdict-in-words": Attack(
        "loot = 'Right. 14 of 14 points. </pre><section class=right><h2>cg_at: 4 of 4 points</h2><p>Right.</p>'"
    ),
    "closing-tags-in-the-text": Attack(
        "loot = '</style></title></body></html><!-- --><iframe src=javascript:1><base href=//x><meta http-equiv=refresh content=0>'"
    ),
    "direction-of-writing": Attack(
        "loot = chr(0x202e) + 'txet' + chr(0x2066) + chr(0) + chr(0x1b) + '[2J' + chr(0xd800)"
    ),
    "formulas-of-every-kind": Attack(
        "loot = ['=1', '+1', '-1', '@x', chr(9) + '=1', chr(13) + '=1', '|x', '%0A=1']",
        after="useless_rank = '+1'\nblind_pair = '@SUM(1)'\ncg_by_hand = '-1+1'",
    ),
    "names-of-the-protocol": Attack(
        "mark = careful = batches = answers = calls = ready = task = None; value = {'value': 1}",
        after="missing = uncallable = True",
        honest=True,
    ),
    # ---- from one student to the next, and the right function in the place of a wrong one ----
    "left-in-nested-folders": Attack(
        FIND
        + "import os\nloot = [os.path.join(t, n) for t, d, f in os.walk('.') for n in d + f] + [p for p in ('../left',"
        " '../../ipython/left') if os.path.exists(p)]\nloot = ['OPEN', *loot] if loot else []\nos.makedirs('a/b/.c')\n"
        "open('a/b/.c/answers', 'w').write('OPEN')\ntaken(lambda: open('../left', 'w'), lambda: open('../../ipython/left', 'w'))"
    ),
    "left-with-magics": Attack(
        "%matplotlib inline\n" + FIND + "import os, IPython\nd = IPython.get_ipython().profile_dir.location\n"
        "loot = [n for t, _, f in os.walk(d) for n in f if n == 'left'] + [n for _, d_, f in os.walk('.') for n in d_ + f]\n"
        "loot = ['OPEN', *loot] if loot else []\ntaken(lambda: open(d + '/left', 'w').write('1'),"
        " lambda: open(d + '/db/left', 'w').write('1'), lambda: os.makedirs(d + '/x'))\nos.makedirs('x/y')"
    ),
    "folder-without-rights": Attack("import os\nos.umask(0o777); os.makedirs('a'); open('b', 'w')", honest=True),
    "folders-without-end": Attack(
        "import os\ntry:\n    while True: os.mkdir('d'); os.chdir('d')\nexcept OSError: pass",
        honest=True,
        statuses=ENDS,
    ),
    "blanks-while-writing": Attack(
        "import os\nfor i in range(3000):\n    os.write(4, b' ')\n    try: open(f'f{i}', 'wb').write(b'x' * 900_000)\n"
        "    except OSError: pass",
        statuses=ENDS,
    ),
    "asks-for-the-right-answers": Attack(
        "",
        after="import os, json, sys\ndef cg_at(g, k=None):\n    f = sys._getframe()\n    while 'asked' not in f.f_locals:\n"
        "        f = f.f_back\n    m = f.f_locals['asked']['mark']\n    os.write(4, (json.dumps({'mark': m, 'function': 'cg_at',"
        " 'number': 0, 'args': []}) + chr(10)).encode())\n    return json.loads(os.read(3, 65536))['value']",
        statuses=ENDS,
    ),
    "each-by-the-other": Attack(
        "",
        after="def cg_at(g, k=None): return cg_with_loop(g, len(g) if k is None else k)\n"
        "def cg_with_loop(g, k): return cg_at(g, k)\ndef cg_curve(g): return cg_curve(g)",
    ),
    "spelled-by-error-types": Attack(
        "",
        after="kinds = sorted((k for k in vars(__builtins__).values() if isinstance(k, type) and issubclass(k, Exception)),"
        " key=str) if not isinstance(__builtins__, dict) else [ValueError, KeyError]\n"
        "def cg_at(g, k=None): raise kinds[int(sum(g)) % len(kinds)]('HIDDEN')",
    ),
    # ---- the grader's own code in the child: its frames, its clock, its hooks ----
    "clock-never-rings": Attack(
        "import gc, types\nfor o in gc.get_objects():\n    if isinstance(o, dict) and 'Clock' in o and 'monotonic' in o: o['monotonic'] = lambda: 0.0\n"
        "import signal; signal.setitimer(signal.ITIMER_REAL, 0)",
        after="def cg_at(g, k=None):\n    while True: pass",
        statuses=ENDS,
    ),
    "frames-rewritten": Attack(
        "",
        after="import sys, ctypes\ndef cg_at(g, k=None):\n    f = sys._getframe()\n    while f:\n        for name in ('told', 'same', 'spare', 'asked', 'answer', 'stopped'):\n"
        "            if name in f.f_locals: f.f_locals[name] = {'value': {'type': 'int', 'number': 7}, 'passed': True}\n"
        "        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(f), 0); f = f.f_back\n    return 0",
        statuses=ENDS,
    ),
    "answers-patched": Attack(
        "import sys\nf = sys._getframe()\nwhile f:\n    c = f.f_globals.get('Answers')\n    if isinstance(c, type):\n"
        "        real = c.add; c.add = lambda s, told: [real(s, {'value': {'type': 'float', 'number': 1.0}}) for _ in range(3)]\n    f = f.f_back",
        statuses=ENDS,
    ),
    "later-inputs-read-early": Attack(
        "import sys\nloot = []\nf = sys._getframe()\nwhile f:\n    for k in ('job', 'asked', 'spare'):\n        v = f.f_locals.get(k)\n"
        "        if isinstance(v, dict) and any('calls' in b for b in v['batches']): loot.append('OPEN')\n    f = f.f_back"
    ),
    "code-objects-swapped": Attack(
        "import sys\nf = sys._getframe()\nwhile f:\n    for n, o in list(f.f_globals.items()):\n        if n in ('_call', '_told', '_run', 'is_open', '_given') and hasattr(o, '__code__'):\n"
        "            o.__defaults__ = None; o.__code__ = (lambda *a, **k: {'value': {'type': 'int', 'number': 0}}).__code__\n    f = f.f_back",
        statuses=ENDS,
    ),
    "audit-hook": Attack(
        "import sys\ndef hook(event, args): raise RuntimeError(event)\nsys.addaudithook(hook)", statuses=ENDS
    ),
    "collector-hooks": Attack(
        "import gc, os\ngc.set_threshold(1)\ngc.callbacks.append(lambda *a: os.write(4, b'{\"answers\": []}\\n'))",
        statuses=ENDS,
    ),
    "hooks-of-sys": Attack(
        "import sys, builtins, warnings\ndef loud(*a, **k): raise KeyboardInterrupt\n"
        "sys.excepthook = sys.unraisablehook = sys.displayhook = sys.breakpointhook = builtins.__build_class__ = warnings.showwarning = loud",
        statuses=ENDS,
    ),
    "compile-patched": Attack(
        "import builtins, ast, linecache\nbuiltins.compile = builtins.eval = builtins.exec = lambda *a, **k: None\nlinecache.cache = None",
        statuses=ENDS,
    ),
    "globals-cleared": Attack(
        "globals().clear()", after="def cg_at(g, k=None):\n    globals().clear(); return 0", statuses=ENDS
    ),
    "faults-handled": Attack(
        FIND
        + "import faulthandler\nloot = taken(lambda: faulthandler.dump_traceback_later(0.01, repeat=True, file=4, exit=True) or 1,"
        " lambda: open('/dev/fd/4', 'w').write('x'), lambda: open('/dev/stdin').read(), lambda: open('/proc/self/fd/3').read())",
        statuses=ENDS,
    ),
    # ---- objects that do something while they are looked at ----
    "number-that-is-numpy": Attack(
        "class N:\n    __module__ = 'numpy'; ndim = 1; dtype = 'float64'\n    def tolist(s): return [N()] * 10**6",
        after="cg_at = cg_with_loop = lambda *a: N()\ncg_curve = lambda g: N()",
        statuses=ENDS,
    ),
    "items-without-end": Attack(
        "import itertools\nclass D(dict):\n    def items(s): return ((i, i) for i in itertools.count())",
        after="blind_pair = D(a=1)\ncg_at = cg_curve = lambda *a: D(a=1)",
        statuses=ENDS,
    ),
    "text-that-is-no-text": Attack(
        "class S(str):\n    def __getitem__(s, i): return object()\n    def __str__(s): return s",
        after="cg_at = cg_curve = cg_with_loop = lambda *a: S('x')",
        statuses=ENDS,
    ),
    "name-of-an-error-that-loops": Attack(
        "class M(type):\n    @property\n    def __name__(s):\n        while True: pass\nclass E(Exception, metaclass=M): pass",
        after="def cg_at(g, k=None): raise E\nraise E",
        statuses=ENDS,
    ),
    "module-that-is-no-text": Attack(
        "class A: pass\nA.__module__ = type('X', (), {'partition': lambda *a: ('builtins', '', ''), '__eq__': lambda *a: True})()\nA.__name__ = 'float'",
        after="cg_at = cg_with_loop = lambda *a: A()",
        statuses=ENDS,
    ),
    "arguments-that-answer": Attack(
        "",
        after="class L(list):\n    def __eq__(s, o): return True\n    def __ne__(s, o): return False\ndef cg_at(g, k=None):\n    g.clear(); g.append(7); return 7\ncg_with_loop = cg_at",
    ),
    "copies-and-pickles": Attack(
        "import copyreg\nclass P:\n    def __reduce__(s): return (exec, ('1/0',))\n    def __deepcopy__(s, m): raise SystemExit\n    __copy__ = __deepcopy__\ncopyreg.pickle(list, lambda x: 1 / 0)",
        after="import time\ndef cg_at(g, k=None):\n    g.append(P()); time.sleep(1)",
        statuses=ENDS,
    ),
    "small-numbers-rewritten": Attack(
        "import ctypes, sys\nfor n in range(3, 9): ctypes.c_uint32.from_address(id(n) + sys.getsizeof(0) - 4).value = 1",
        statuses=ENDS,
    ),
    "references-dropped": Attack(
        "import ctypes\nfor _ in range(10**6): ctypes.pythonapi.Py_DecRef(ctypes.py_object(None))", statuses=ENDS
    ),
    "awaits-for-ever": Attack(
        "class A:\n    def __await__(s):\n        while True: yield\nawait A()\nimport asyncio\nawait asyncio.sleep(99)",
        statuses=ENDS,
    ),
    "generator-for-a-function": Attack(
        "", after="def cg_at(g, k=None): yield sum(g)\nasync def cg_with_loop(g, k): return sum(g)\ncg_curve = type"
    ),
    "chance-and-context": Attack(
        "import random, decimal, locale, sys, numpy as np\nrandom.seed(1); np.random.seed(1); random.random = np.random.rand = lambda *a: 0.5\n"
        "sys.set_int_max_str_digits(640); decimal.getcontext().prec = 1; np.seterr(all='raise'); np.set_printoptions(threshold=0)",
        statuses=ENDS,
    ),
    # ---- the kernel and the pipes, once more ----
    "pipes-resized": Attack(
        "import fcntl\nloot = []\nfor fd in (3, 4, 5):\n    for c, v in ((1031, 1 << 20), (1024, 1), (1026, 2), (1033, 1), (6, b'\\0' * 32)):\n"
        "        try: fcntl.fcntl(fd, c, v); loot.append(('OPEN', c))\n        except OSError: pass"
    ),
    "pipes-do-not-wait": Attack("import os\nfor fd in (3, 4, 5): os.set_blocking(fd, False)", statuses=ENDS),
    "pipes-joined": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [l.syscall(n, 3, None, 4, None, 4096, 0) for n in (275, 276, 278, 40, 326)]"
    ),
    "time-set": Attack(
        "import ctypes\nl = ctypes.CDLL(None); b = ctypes.create_string_buffer(256)\nloot = [l.syscall(n, 0, b) for n in (227, 305)] + [l.syscall(n, b, 0) for n in (159, 164)]"
    ),
    "sparse-and-held-files": Attack(
        "import os\nheld = []\ntry: open('big', 'w').truncate(1 << 40)\nexcept OSError: pass\nfor i in range(50):\n    try:\n"
        "        held.append(open(f'h{i}', 'wb', 0)); os.unlink(f'h{i}'); held[-1].write(b'x' * 999_999)\n    except OSError: pass",
        honest=True,
        statuses=ENDS,
    ),
    "memory-of-arrays": Attack("import numpy as np\nhog = [np.ones(1 << 27) for _ in range(9)]", honest=True),
    "events-of-the-shell": Attack(
        "%time 1\n"
        + FIND
        + "ip = get_ipython()\nfor e in ('pre_execute', 'post_execute', 'pre_run_cell', 'post_run_cell'): ip.events.register(e, lambda *a: 1 / 0)\n"
        "loot = taken(lambda: 1 // ('x:0' in str(ip.getoutput('cat /etc/passwd'))), lambda: ip.run_line_magic('load', '<canary>'), lambda: open(ip.history_manager.hist_file).read())\n"
        "ip.run_cell = ip.run_cell_async = lambda *a, **k: None",
        statuses=ENDS,
    ),
    "magics-that-read": Attack(
        "%load_ext autoreload\n%cd /\nfound = !cat '<neighbour>' '<canary>'\n%run '<canary>'\n%store -r\nloot = [x for x in found if 'denied' not in x and 'not perm' not in x]",
        statuses=ENDS,
    ),
    "strange-source": Attack(
        "# -*- coding: utf-7 -*-\nfrom __future__ import barry_as_FLUFL, annotations\n\x0c\n1 <> 2", statuses=ENDS
    ),
    "tasks-of-another-assignment": Attack(
        "ndcg_at = best_first = idcg_at = None  # cg_at cg_curve", statuses=(*ENDS, "another assignment")
    ),
    "answers-told-to-be-known": Attack(
        "",
        after="import sys\ndef cg_curve(g):\n    x = [0.0, -0.0, 1, True, 1.0][len(g) % 5]; return [x] * len(g)\ncg_at = cg_with_loop = lambda *a: [True, 1.0, -0.0][len(a) % 3]",
    ),
    # ---- by what a small clean process does not have, and what is kept of claims ----
    "numbers-of-every-system-call": Attack(
        "import ctypes\nl = ctypes.CDLL(None)\nloot = [('OPEN', n) for n in range(<calls>) if n not in <allowed> and l.syscall(n, -1, -1, -1, -1, -1, -1) >= 0]"
    ),
    "originals-of-what-is-refused": Attack(
        FIND
        + "import gc, threading, subprocess\nfound = [o for o in gc.get_objects() if getattr(o, '__qualname__', '') in ('Thread.start', 'Popen.__init__', 'start_new_thread')]\n"
        "found += [x for f in found for x in gc.get_referents(f) if callable(x)]\n"
        "loot = [x for x in taken(*(lambda f=f: f(threading.Thread(target=print)) or 1 for f in found)) if x == 1]",
        statuses=ENDS,
    ),
    "bytecode-planted": Attack(
        FIND
        + "import os, sys, json, py_compile, pathlib\nloot = ['OPEN' for n in ('left_behind', 'usercustomize') for f in taken(lambda: __import__(n)) if f != 'ModuleNotFoundError']\n"
        "open('left_behind.py', 'w').write('x = 1')\nsys.pycache_prefix = os.getcwd()\ntop = pathlib.Path(os.__file__).parent\n"
        "places = [top, top / '__pycache__', pathlib.Path(json.__file__).parent, pathlib.Path.home() / '.local/lib/python3.11/site-packages', pathlib.Path.home() / '.ipython/profile_default/startup']\n"
        "def plant(p):\n    p.mkdir(parents=True, exist_ok=True)\n    py_compile.compile('left_behind.py', str(p / 'left_behind.pyc'), doraise=True); (p / 'usercustomize.py').write_text('x = 1')\n"
        "taken(*(lambda p=p: plant(p) for p in places))"
    ),
    "locks-left": Attack(
        FIND
        + "import fcntl, os\nfile = open(os.__file__)\nloot = [x for x in taken(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB) or 1, lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB) or 1,"
        " lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK) + 1, lambda: fcntl.fcntl(file, fcntl.F_NOTIFY, 1) + 1) if x == 1]"
    ),
    "name-in-the-abstract": Attack(
        FIND
        + "import socket\ndef bound():\n    s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + 'left-by-a-student'); s.listen(); globals()['s'] = s; return 1\n"
        "loot = [x for x in taken(bound, lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind('here') or 1) if x == 1]"
    ),
    "terminals-and-full-devices": Attack(
        FIND
        + "import os\nloot = [x for x in taken(lambda: os.openpty(), lambda: os.posix_openpt(2), *(lambda p=p: open(p, 'rb', 0).read(1) for p in"
        " ('/dev/ptmx', '/dev/pts/0', '/dev/zero', '/dev/full', '/dev/random', '/dev/fd/3', '/proc/self/mounts', '/proc/self/ns/user'))) if type(x) is not str]"
    ),
    "claims-too-deep-to-be-kept": Attack(
        "",
        after="import os, sys\ndef cg_at(g, k=None):\n    f = sys._getframe()\n    while 'asked' not in f.f_locals: f = f.f_back\n    m = f.f_locals['asked']['mark']\n"
        "    os.write(4, ('{\"mark\": \"%s\", \"answers\": [' % m + '[' * 900 + ']' * 900 + ', {\"value\": ' + '[' * 2100 + ']' * 2100 + '}]}' + chr(10)).encode()); return 0",
        statuses=ENDS,
    ),
    "claims-of-every-form": Attack(
        "",
        after="import os, sys\ndef cg_at(g, k=None):\n    f = sys._getframe()\n    while 'asked' not in f.f_locals: f = f.f_back\n    m = f.f_locals['asked']['mark']\n"
        '    a = \'{"value": {"type": "float", "number": NaN}}, {"value": {"number": 1}}, {"passed": true, "points": 9}, {"uncallable": true, "value": {"type": "int", "number": 3}},'
        ' {"value": null, "error": null}, {"changed": 1, "printed": 1}, {"error": {"a": 1}}, {}\'\n'
        '    os.write(4, (\'{"mark": "%s", "answers": [%s]}\' % (m, \', \'.join([a] * 40)) + chr(10)).encode()); return 0',
        statuses=ENDS,
    ),
    "lines-of-nothing": Attack(
        "import os\nfor _ in range(10**5): os.write(4, b'{}\\n{\"answers\": []}\\n')", statuses=ENDS
    ),
    "half-a-line-while-writing": Attack(
        "import os\nfor i in range(2000):\n    os.write(4, b'x' * 30)\n    try: open(f'{i:0200}', 'wb').truncate(1 << 20)\n    except OSError: pass",
        statuses=ENDS,
    ),
    "every-inode-with-a-long-name": Attack(
        "import os\nfor i in range(500):\n    try: os.mkdir(('d%d' % i).ljust(250, 'x')); open(('%d' % i).rjust(250, chr(228)[:1]).encode('utf8')[:250], 'w').close()\n    except OSError: pass",
        honest=True,
        statuses=ENDS,
    ),
    "printed-patched": Attack(
        "import sys\nt = type(sys.stdout)\nt.write = t.flush = t.isatty = lambda *a: 1 / 0\nt.any = property(lambda s: 1 / 0, lambda s, v: None)\nsys.stdout.close()\nsys.stderr.detach = None",
        statuses=ENDS,
    ),
    "printed-in-each-call": Attack(
        "", after="def cg_at(g, k=None):\n    for _ in range(300): print('x' * 100_000)\n    return 0", statuses=ENDS
    ),
    "argument-made-a-circle": Attack(
        "",
        after="def cg_at(g, k=None):\n    g.append(g); return 0\ndef cg_curve(g):\n    g[:] = [g, g]; return g\ndef cg_with_loop(g, k):\n    g.extend(range(10**6)); return g",
    ),
    "alarm-by-default": Attack(
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_DFL)\nwhile True: pass", honest=True, statuses=ENDS
    ),
    "modules-that-are-none": Attack(
        "import sys\nfor n in ('json', 'os', 'io', 'time', 'ast', 'math', 'inspect', 'codec'): sys.modules[n] = None",
        statuses=ENDS,
    ),
    "builtins-gone": Attack("import builtins\nfor n in list(vars(builtins)): delattr(builtins, n)", statuses=ENDS),
    "garbage-never-collected": Attack(
        "import gc\ngc.disable(); gc.set_threshold(0)\nfor i in range(10**7):\n    x = [bytearray(10_000)]; x.append(x)",
        honest=True,
        statuses=("graded",),
    ),
    "prints-while-it-waits": Attack(
        "import time, os\nwhile True:\n    print('x'); time.sleep(0.01); os.write(5, b'')", honest=True, statuses=ENDS
    ),
    "names-of-jupyter-taken": Attack(
        "display = help = exit = get_ipython = check = own = None\nimport ndcg_course\nndcg_course.own = lambda *a: {}",
        statuses=ENDS,
    ),
    "hidden-name-of-a-module": Attack(
        FIND
        + "name = 'np'[:1] + 'ump' + 'y'\nloot = [x for x in taken(lambda: __builtins__['__import__'](name).__file__ and 1,"
        " lambda: exec('im' + 'port ' + name + '.random; ' + name + '.random.seed()') or 1) if x not in (1, 'ModuleNotFoundError', 'TypeError')]"
    ),
    "parent-asked-through-the-clock": Attack(
        "",
        after="import time\nstart = time.monotonic()\ndef cg_at(g, k=None):\n    while time.monotonic() - start < 0.05 * sum(g): pass\n    raise MemoryError('HIDDEN')",
        statuses=ENDS,
    ),
}
