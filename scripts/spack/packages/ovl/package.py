# SPDX-License-Identifier: BSD-3-Clause
# A Spack recipe. `make dist` writes it, with the place and the hash of the release it makes, under build/spack:
#
#   make dist [RELEASE_URL=https://...]         else the release is taken from where make dist left it
#   spack repo add build/spack && spack install ovl
#
# From a clone, without a release: spack repo add scripts/spack && spack dev-build ovl@main
#
# On a DPU, the worker alone, which needs MPI and libibverbs only: spack install ovl+worker
# For one from another machine, of a compiler, an MPI and an rdma-core for its processor that Spack is told of as externals:
#
#   spack config add concretizer:targets:host_compatible:false && spack install ovl+worker target=aarch64
#
# For Spack from 0.23 on, where c is a language; an older one wants that line away.

import os

from spack.package import *

try: # Spack from 1.0 on has build systems there, an older one in spack.package
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Ovl(MakefilePackage):
    """Benchmarks that measure how much of an MPI communication's time hides behind computation: one program for each
    non-blocking collective, and the ovl command, which shows, checks and draws their records."""

    license("BSD-3-Clause")

    version("main")
    # @RELEASE@ version("@VERSION@", sha256="@SHA256@", url="@URL@")

    variant("worker", default=False, description="ovl_worker alone, for a DPU")
    variant("verbs", default=True, description="RDMA adapters, and workers that reach memory by them")
    with when("~worker"):
        variant("hwloc", default=True, description="the machine by hwloc; without, by what the kernel shows")
        variant("blas", default=True, description="ovl_hpl, and the kernel of --compute dgemm")
        variant("fftw", default=True, description="ovl_fft3d")
        variant("plot", default=True, description="gnuplot, which ovl plot runs")

    depends_on("c", type="build")
    depends_on("gmake@4:", type="build")
    depends_on("mpi")
    depends_on("rdma-core@32:", when="+verbs")
    with when("~worker"):
        depends_on("pkgconfig", type="build")
        depends_on("autoconf", type="build", when="@main")
        depends_on("jansson@2.13:")
        depends_on("hwloc@2:", when="+hwloc")
        depends_on("openblas", when="+blas")
        depends_on("fftw@3", when="+fftw")
        depends_on("gnuplot@5.2: +cairo", type="run", when="+plot")
        depends_on("check", type="test")

    @property
    def settings(self):
        """What make is told once, and keeps: the library's own wrapper around Spack's compiler, and what to leave out."""
        left_out = {"hwloc": "HWLOC", "verbs": "VERBS", "blas": "CBLAS", "fftw": "FFTW"}
        return [
            f"prefix={self.prefix}",
            f"MPICC={self.spec['mpi'].mpicc}",
            f"CC={os.environ['CC']}",
            "WITH_SHA256=none",
            *(f"WITH_{name}=none" for variant, name in left_out.items() if f"~{variant}" in self.spec),
        ]

    @property
    def build_targets(self):
        if "+worker" not in self.spec:
            return ["all", *self.settings]
        return ["worker", f"MPICC={self.spec['mpi'].mpicc}", *(["WITH_VERBS=none"] if "~verbs" in self.spec else [])]

    def install(self, spec, prefix):
        if "+worker" not in spec:
            make("install")
            return
        mkdirp(prefix.bin, prefix.share.man.man7)
        install("build/worker/ovl_worker", prefix.bin)
        install("man/ovl_dpu.7", prefix.share.man.man7)

    def check(self):
        if "+worker" in self.spec:
            return
        make("tests")
        Executable("build/tests/unit")()
