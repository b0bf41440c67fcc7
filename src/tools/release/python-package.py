"""Builds the wheel and the sdist of the package in this folder into another, the same bytes on every machine."""

import gzip
import io
import os
import sys
import tarfile

from setuptools import build_meta

out = sys.argv[1]
time = int(os.environ["SOURCE_DATE_EPOCH"])  # which the wheel's writer uses itself
archive = os.path.join(out, build_meta.build_sdist(out))
build_meta.build_wheel(out)

# setuptools writes the times, the user and the modes of this machine into the sdist.
with tarfile.open(archive) as written:
    entries = [(entry, written.extractfile(entry)) for entry in written.getmembers()]
    entries = [(entry, file and file.read()) for entry, file in entries]
with open(archive, "wb") as file, gzip.GzipFile("", "wb", mtime=time, fileobj=file) as packed:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as same:
        for entry, data in sorted(entries, key=lambda one: one[0].name):
            plain = tarfile.TarInfo(entry.name)
            plain.type, plain.size, plain.mtime = entry.type, entry.size, time
            plain.mode = 0o755 if entry.isdir() else 0o644
            same.addfile(plain, data and io.BytesIO(data))
