# Plays Spack for ovl's recipe, as far as it goes: what make is told, and the worker alone, built and installed.
# SPDX-License-Identifier: BSD-3-Clause
#
#   python3 recipe.py told RECIPE [WORD...]        the words of versions with a place; what make is told where the spec has
#                                                  these words (~hwloc)
#   python3 recipe.py worker RECIPE MPICC PREFIX   makes ovl+worker of the tree here by that wrapper, and installs it

import os
import runpy
import shutil
import subprocess
import sys
import types


class Folder(str):
    def __getattr__(self, name):
        return Folder(f"{self}/{name}")


class Spec:
    def __init__(self, mpicc, words):
        self.mpicc, self.words = mpicc, words

    def __contains__(self, word):
        return word in self.words

    def __getitem__(self, name):
        return self


class When:
    def __init__(self, spec):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *how):
        pass


said = []


def note(*words, **named):
    said.append(named)


def make(*words):
    subprocess.run(["make", "--no-print-directory", *words], check=True)


package = types.ModuleType("spack.package")
package.__dict__.update(
    license=note, version=note, variant=note, depends_on=note, when=When, MakefilePackage=object, make=make,
    mkdirp=lambda *folders: [os.makedirs(f, exist_ok=True) for f in folders], install=shutil.copy)
sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})

task, recipe, *rest = sys.argv[1:]
ovl = runpy.run_path(recipe)["Ovl"]()
if task == "told":
    ovl.prefix, ovl.spec = Folder("/p"), Spec("mpicc-of-spack", rest)
    print([k for k in said if "url" in k])
    print(" ".join(ovl.build_targets))
else:
    ovl.prefix, ovl.spec = Folder(rest[1]), Spec(rest[0], ["+worker"])
    make(*ovl.build_targets)
    ovl.install(ovl.spec, ovl.prefix)
