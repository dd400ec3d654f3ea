# Builds ovl under build/; `make help` lists what can be asked for.
# SPDX-License-Identifier: BSD-3-Clause
#
#   B=build/openmpi MPICC=mpicc.openmpi   a second build beside the first
#   CC=clang CFLAGS='-O3 -march=native'   another compiler, for the MPI wrapper too; instead of -O2 -g
#   MPIEXEC=srun                          the launcher, where it is not the wrapper's own
#   PKG_CONFIG_PATH=$HOME/opt/lib/pkgconfig   libraries elsewhere
#   prefix=$HOME/ovl                      where install puts things; bindir=, mandir=, DESTDIR=
#   WITH_HWLOC=none                       leave a library out: HWLOC, VERBS, CBLAS, FFTW; WITH_SHA256=none too
#   DEVELOPER=1                           more warnings, and each one an error
#   SANITIZE=address,undefined            or thread
#   DEPS=no                               make check and make demo install no packages
#   SUITE='unit mpi' ONLY=stats           a part of `make check`
#   LONG=1                                with `make check`: the tests that take longer, too
#   VALGRIND=1                            with `make check`: each program of ours under valgrind, slowly
#   V=1                                   show each command
#
# What configures (all down to WITH_) is kept in $(B)/config.mk until it is given anew; nothing, as in MPICC=, is the
# default again. `make config` shows what holds.

ifeq ($(filter output-sync,$(.FEATURES)),)
$(error this is make $(MAKE_VERSION), and ovl needs GNU make 4.0 or newer: try gmake, `module avail make` or `spack install gmake`)
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SUFFIXES:
dry := $(findstring n,$(firstword -$(MAKEFLAGS)))
MAKEFLAGS += --no-builtin-rules
export LC_ALL := C

# Where all is written, and what `clean` looks at, is no variable that the environment has by chance.
ifneq ($(filter environment%,$(origin B)),)
$(if $(MAKE_RESTARTS)$(filter-out 0,$(MAKELEVEL)),,$(info B=$(B) of the environment is not taken: say `make B=$(B)`))
override B := build
endif
B ?= build
ifeq ($(strip $(B)),)
$(error B is empty, and would be the folder of the whole machine: leave it out, or give one, as in B=/tmp/ovl)
endif
# The tree may lie in a folder with a space in its name: its paths are relative. The build folder is a word of rules.
ifneq ($(word 2,$(B)),)
$(error B=$(B) has a space, which make takes for two folders: give one without, as in B=build or B=/tmp/ovl)
endif
VERSION := $(shell sed -n 's/^AC_INIT(\[ovl\], \[\(.*\)\])$$/\1/p' configure.ac)
comma := ,
Q := $(if $(V),,@)
say = $(if $(V),:,printf '  %-8s %s\n')

# Stamps: a file that is rewritten, and so makes what depends on it old, only when the text given changes.
stamp = $(Q)mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(strip $(1)))' | cmp -s - $@ || \
	printf '%s\n' '$(subst ','\'',$(strip $(1)))' >$@


## Configuration: configure writes $(B)/config.mk, which make reads back; what was given once stands there too

config_vars := CC CFLAGS CPPFLAGS LDFLAGS AR BUILD_CC BUILD_JANSSON_CFLAGS BUILD_JANSSON_LIBS MPICC MPIEXEC PKG_CONFIG \
	PKG_CONFIG_PATH WITH_HWLOC WITH_VERBS WITH_CBLAS WITH_FFTW WITH_SHA256 \
	$(foreach l,JANSSON HWLOC VERBS CBLAS FFTW CHECK,$(l)_CFLAGS $(l)_LIBS)
config_dirs := prefix bindir mandir host

# given_X: what config.mk keeps. asked_X: what the command line says now, or the environment of the first make.
origin_is = $(filter $(1),$(firstword $(origin $(2))))
on_line := $(strip $(foreach v,$(config_vars) $(config_dirs),$(if $(call origin_is,command,$(v)),$(v))))
in_environment := $(foreach v,$(config_vars),$(if $(call origin_is,environment,$(v)),$(v)))
$(foreach v,$(on_line) $(in_environment),$(eval asked_$(v) := $$(strip $$($(v)))))
$(foreach v,$(on_line),$(if $(asked_$(v)),,$(eval override undefine $(v))))
# As a shell completes a folder's name.
$(foreach v,$(filter $(config_dirs),$(on_line)),$(if $(filter-out /,$(filter %/,$(asked_$(v)))),\
	$(eval asked_$(v) := $$(patsubst %/,%,$$(asked_$(v))))$(eval override $(v) := $$(asked_$(v)))))

# The two commands of a fresh machine install what is missing, before anything is looked for.
goals := $(or $(MAKECMDGOALS),all)
ifneq ($(filter check demo aarch64,$(goals)),)
ifeq ($(dry)$(filter no,$(DEPS))$(MAKE_RESTARTS)$(filter-out 0,$(MAKELEVEL)),)
$(shell $(foreach v,CC MPICC CPPFLAGS JANSSON_LIBS,$(if $(asked_$(v)),$(v)='$(asked_$(v))')) OVL_BUILD='$(B)' scripts/build/install-deps >&2)
endif
endif

CFLAGS ?= -O2 -g
# What to take away is all that can be made.
ifneq ($(filter clean,$(goals)),)
WITH_FFTW := fftw
WITH_CBLAS := cblas
WITH_VERBS := verbs
WITH_HWLOC := hwloc
MPI_PERSISTENT := yes
MPI_OFFLOAD := yes
CHECK_LIBS := any
endif
ifneq ($(filter-out help clean dist deb format worker deps,$(goals)),)
# An old and empty one, so that make has no words of its own for the first time.
$(if $(wildcard $(B)/config.mk),,$(shell mkdir -p $(B) && touch -d @0 $(B)/config.mk))
include $(B)/config.mk
endif

differs = $(if $(and $(findstring x$(strip $(1))x,x$(strip $(2))x),$(findstring x$(strip $(2))x,x$(strip $(1))x)),,$(3))
changed := $(strip $(foreach v,$(on_line),$(call differs,$(asked_$(v)),$(given_$(v)),$(v))))

# Who does not own the build, as in `sudo make install`, has another PATH and environment: takes it as it is.
compilers_now := $(if $(configured),$(shell [ -O $(B)/config.mk ] && scripts/build/compilers '$(CC)' '$(MPICC)' '$(MPICC_CC)' || echo theirs))
theirs := $(filter theirs,$(compilers_now))
moved := $(if $(theirs)$(changed),,$(if $(compilers_now),$(call differs,$(compilers_now),$(compilers),yes)))
FORCE_OURS := $(if $(theirs),,FORCE)

once = $(if $(MAKE_RESTARTS)$(filter-out 0,$(MAKELEVEL)),,$(info $(1)))
ifneq ($(configured),)
$(foreach v,$(filter-out PKG_CONFIG_PATH $(on_line),$(in_environment)),$(if $(call differs,$(asked_$(v)),$(given_$(v)),yes),\
	$(call once,$(v)=$(asked_$(v)) of the environment is not taken: $(B) holds $(or $(given_$(v)),the default)$(comma) and `make $(v)=...` changes that)))
$(if $(compilers_now)$(changed),,$(call once,$(CC) or $(MPICC) is not on PATH now: load the module that $(B) was configured with$(comma) or `make MPICC=...`))
endif
ifneq ($(filter-out 0 1,$(MAKE_RESTARTS)),)
$(if $(changed)$(moved),$(error configure keeps something else than it was given: $(changed) $(compilers_now)))
endif

# What configure is told: what is asked for now, else what it was told before.
taken := $(on_line) $(if $(configured),,$(in_environment))
holds = $(strip $(if $(filter $(1),$(taken)),$(asked_$(1)),$(given_$(1))))
quote = '$(subst ','\'',$(1))'
config_given = $(foreach v,$(config_vars),$(if $(call holds,$(v)),$(call quote,$(v)=$(call holds,$(v))))) \
	$(foreach v,$(config_dirs),$(if $(call holds,$(v)),$(call quote,--$(v)=$(call holds,$(v)))))
config_environment = $(strip $(filter-out $(on_line),$(if $(configured),$(environment),$(in_environment))))

# A release ships configure; a clone makes its own.
configure := $(or $(wildcard configure),$(B)/configure)

# A configuration that fails leaves the one before.
.PRECIOUS: $(B)/config.mk
ifeq ($(theirs)$(and $(dry),$(configured)),)
$(B)/config.mk: $(configure) scripts/build/config.mk.in scripts/build/build.mk.in \
		$(if $(changed)$(moved)$(if $(MAKE_RESTARTS),,$(filter reconfigure,$(goals))),FORCE)
	$(if $(moved),@echo 'the compilers are others than before; all is built anew with $(compilers_now)')
	@mkdir -p $(B)
	@cd $(B) && env $(foreach v,$(config_vars),-u $(v)) OVL_ENVIRONMENT='$(config_environment)' \
		'$(abspath $(configure))' -q --srcdir='$(CURDIR)' $(config_given)
	@touch $@
endif

$(B)/configure: configure.ac
	@command -v autoconf >/dev/null || { echo 'a clone needs autoconf, which is not on PATH: install it (as root, or' \
		'`spack install autoconf`), or take a release, which has configure' >&2; exit 1; }
	@mkdir -p $(B)
	@cd $(B) && autoconf -o configure '$(CURDIR)/configure.ac'

ifneq ($(wildcard .git),)
configure: configure.ac
	@autoconf
endif

# Where a value comes from, for `make config`.
from = $(if $(filter $(1),$(environment)),environment,$(if $(given_$(1)),given,default))


## Sources

# ovl_fft3d is left out where FFTW is not here, but for what of it needs no FFTW; configure names the package.
no_fftw := src/apps/fft3d/pencil.c src/apps/fft3d/transform_plan.c
left_out := $(if $(filter fftw,$(WITH_FFTW)),,$(filter-out $(no_fftw),$(wildcard src/apps/fft3d/*.c tests/mpi/fft3d.c)))
not_chosen := $(left_out) \
	$(if $(filter cblas,$(WITH_CBLAS)),kernels/dgemm_none.c,$(addprefix kernels/,dgemm.c dgemm_cblas.c dgemm_named.c)) \
	$(if $(filter verbs,$(WITH_VERBS)),src/machine/adapters_none.c src/offload/mem/verbs_none.c, \
		src/machine/adapters_verbs.c src/offload/mem/path_verbs.c src/offload/mem/verbs_port.c src/offload/mem/verbs_ep.c \
		src/offload/mem/verbs_join.c) \
	$(if $(filter hwloc,$(WITH_HWLOC)),src/machine/topology_none.c,src/machine/topology_hwloc.c) \
	$(filter-out src/base/sha256_own.c src/base/sha256_$(WITH_SHA256).c,$(wildcard src/base/sha256_*.c))
# Without a CBLAS ovl_hpl is left out; configure names the package.
not_chosen += $(if $(filter cblas,$(WITH_CBLAS)),,src/apps/hpl/app.c src/apps/hpl/blas.c tests/mpi/hpl.c)
sources = $(filter-out $(not_chosen),$(sort $(wildcard $(1))))
objects = $(patsubst %.c,$(B)/obj/%.o,$(call sources,$(1)))

no_blas := $(call objects,kernels/dgemm_named.c)
kernel_obj := $(filter-out $(no_blas),$(call objects,kernels/*.c))
core_obj := $(call objects,$(foreach room,base stats machine cli cli/moe cli/presets record record/offload record/derived table plan apps/train/drawn apps/serve/trace,src/$(room)/*.c))
simulate_obj := $(call objects,src/simulate/*.c)
offload_mpi_obj := $(call objects,src/offload/*/*_mpi.c)
worker_obj := $(call objects,src/offload/boot/main.c)
carrier_obj := $(call objects,src/offload/carrier/main.c)
no_verbs := $(B)/obj/src/offload/mem/verbs_none.o
offload_obj := $(filter-out $(offload_mpi_obj) $(worker_obj) $(carrier_obj),$(call objects,src/offload/*/*.c))
bench_obj := $(call objects,$(addsuffix /*.c,src/bench src/bench/start src/bench/exchange src/bench/thread src/bench/app))
driver_obj := $(call objects,src/bench/driver/*.c)
coll_obj := $(call objects,src/bench/coll/*.c)
app_obj := $(filter-out $(core_obj),$(call objects,src/apps/*/*.c src/apps/train/*/*.c src/apps/serve/*/*.c))
app_main_obj := $(filter %/app.o,$(app_obj))
# The library that offloads unmodified programs of MPICH and its relatives; with another MPI there is only its rule.
preload_pure := $(call objects,src/preload/library/decide.c src/preload/job/carrier_placement.c)
preload_here := $(filter yes,$(MPI_OFFLOAD))
preload_obj := $(if $(preload_here),$(call objects,src/preload/*/*.c),$(preload_pure))
heap_obj := $(call objects,src/heap/heap.c)
tool_obj := $(call objects,src/tool/main.c src/tool/*/*.c src/tool/*/*/*.c)
unit_obj := $(call objects,tests/unit/*.c)
mpi_test_obj := $(call objects,tests/mpi/*.c)
preload_test_obj := $(if $(preload_here),$(filter-out $(if $(filter yes,$(MPI_PERSISTENT)),,%/persistent.o %/large.o),$(call objects,tests/preload/*.c)))
fuzz_obj := $(call objects,tests/fuzz/*.c)
fake_obj := $(call objects,tests/fake/*.c)
sim_obj := $(call objects,tests/sim/*.c)
sim := $(B)/tests/sim
fakes := $(fake_obj) $(filter-out %/main.o,$(sim_obj)) # what suites of unit stand on
drop_obj := $(call objects,tests/drop/*.c)
shim_src := $(call sources,tests/shim/*.c)

drivers := $(patsubst $(B)/obj/src/bench/coll/%.o,$(B)/bin/ovl_%,$(coll_obj))
apps := $(patsubst $(B)/obj/src/apps/%/app.o,$(B)/bin/ovl_%,$(app_main_obj))
worker := $(B)/bin/ovl_worker
carrier := $(B)/bin/ovl_carrier
preload := $(if $(preload_here),$(B)/lib/libovl_offload.so)
heap := $(if $(preload_here),$(B)/lib/libovl_heap.so)
tool := $(if $(tool_obj),$(B)/bin/ovl)
unit := $(if $(CHECK_LIBS),$(B)/tests/unit)
preload_tests := $(filter-out %/flight,$(patsubst $(B)/obj/tests/preload/%.o,$(B)/tests/%,$(preload_test_obj)))
mpi_tests := $(patsubst $(B)/obj/tests/mpi/%.o,$(B)/tests/mpi/%,$(mpi_test_obj))
shims := $(patsubst tests/shim/%.c,$(B)/tests/shim/%.so,$(shim_src))
dropping_worker := $(B)/tests/dropping_worker
replay_obj := $(B)/obj/tests/fuzz/replay.o
fuzz_shared := $(addprefix $(B)/obj/tests/fuzz/,command.o change_json.o)
harnesses := $(patsubst $(B)/obj/tests/fuzz/%.o,%,$(filter-out $(replay_obj) $(fuzz_shared),$(fuzz_obj)))
replays := $(addprefix $(B)/tests/replay_,$(harnesses))
fuzzers := $(addprefix $(B)/tests/fuzz_,$(harnesses))

core_data := $(B)/share/ovl/record.schema.json $(B)/share/ovl/limits.schema.json
tool_data_src := src/tool/sweep/plan/plan.schema.json src/tool/util/answer.schema.json src/tool/site/references.schema.json $(addprefix src/tool/report/,page.css page.js published.json)
tool_data := $(addprefix $(B)/share/ovl/,$(notdir $(tool_data_src)))
schema := $(core_data) $(tool_data)
plots := $(patsubst scripts/%,$(B)/share/ovl/%,$(sort $(wildcard scripts/plot/*.gp)) scripts/completion.bash)
pages := $(foreach s,1 5 7,$(patsubst man/%.$(s),$(B)/share/man/man$(s)/%.$(s),$(sort $(wildcard man/*.$(s)))))
driver_page := $(B)/share/man/man1/ovl_bench.1
made_pages := $(foreach s,1 5,$(patsubst man/%.$(s).in,$(B)/share/man/man$(s)/%.$(s),$(sort $(wildcard man/*.$(s).in))))
driver_links := $(patsubst $(B)/bin/%,$(B)/share/man/man1/%.1,$(drivers) $(worker) $(carrier))

programs := $(drivers) $(apps) $(worker) $(carrier) $(tool) $(preload) $(heap)
models := $(patsubst src/apps/train/models/%,$(B)/share/ovl/models/%,$(sort $(wildcard src/apps/train/models/*.json)))
served := $(patsubst src/apps/serve/models/%,$(B)/share/ovl/served/%,$(sort $(wildcard src/apps/serve/models/*.json)))
data := $(schema) $(plots) $(models) $(served) $(pages) $(made_pages) $(driver_links)
all_c = $(sort $(shell find kernels src tests scripts -name '*.[ch]'))


## Flags

warnings := -Wall -Wextra
ifneq ($(DEVELOPER),)
warnings += -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	-Wvla -Wformat=2 -Wundef -Wwrite-strings -Wimplicit-fallthrough
endif
sanitize := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
	$(if $(findstring undefined,$(SANITIZE)),-fno-sanitize-recover=undefined))
lib_cflags := $(patsubst -I%,-isystem %,$(JANSSON_CFLAGS) $(HWLOC_CFLAGS) $(SHA256_CFLAGS) $(VERBS_CFLAGS) \
	$(CBLAS_CFLAGS) $(FFTW_CFLAGS))

ovl_cppflags := -D_GNU_SOURCE -I. -I$(B) -Isrc
ovl_cflags := $(strip -std=c11 $(CFLAGS) $(warnings) $(sanitize) -pthread $(ovl_cppflags) $(lib_cflags) $(CPPFLAGS))
ovl_ldflags := $(CFLAGS) $(sanitize) -pthread -Wl,--as-needed $(LDFLAGS)
libs := $(JANSSON_LIBS) $(HWLOC_LIBS) $(VERBS_LIBS) $(CBLAS_LIBS) $(FFTW_LIBS) -ldl -lm

ifneq ($(MPICC_CC),)
export MPICH_CC := $(MPICC_CC)
export OMPI_CC := $(MPICC_CC)
export I_MPI_CC := $(MPICC_CC)
endif
compile = $(CC) $(ovl_cflags)
compile_mpi = $(MPICC) $(ovl_cflags) $(MPI_CPPFLAGS)

$(B)/flags: FORCE
	$(call stamp,$(compilers) | $(compile) | $(compile_mpi) | $(ovl_ldflags) | $(libs) | $(CHECK_CFLAGS) $(CHECK_LIBS))


## Objects

all_obj := $(kernel_obj) $(no_blas) $(core_obj) $(simulate_obj) $(offload_obj) $(offload_mpi_obj) $(worker_obj) $(carrier_obj) $(bench_obj) \
	$(driver_obj) $(coll_obj) $(app_obj) $(preload_obj) $(heap_obj) $(tool_obj) $(unit_obj) $(mpi_test_obj) $(preload_test_obj) $(fuzz_obj) \
	$(fake_obj) $(sim_obj) $(drop_obj) $(if $(filter verbs,$(WITH_VERBS)),$(no_verbs))
mpi_obj := $(offload_mpi_obj) $(worker_obj) $(bench_obj) $(driver_obj) $(coll_obj) $(app_obj) $(preload_obj) $(mpi_test_obj) $(preload_test_obj)

$(all_obj): $(B)/obj/%.o: %.c $(B)/flags | $(B)/version.h
	@$(say) CC $<; mkdir -p $(@D)
	$(Q)$(compiler) $(extra) -MMD -MP -c -o $@ $<

$(all_obj): compiler = $(compile)
$(mpi_obj): compiler = $(compile_mpi)
$(unit_obj) $(fake_obj): extra = $(CHECK_CFLAGS)

$(B)/pic/%.o: %.c $(B)/flags | $(B)/version.h
	@$(say) CC $<; mkdir -p $(@D)
	$(Q)$(filter-out -fsanitize=% -fno-sanitize%,$(compile_mpi)) -fPIC -MMD -MP -c -o $@ $<

-include $(all_obj:.o=.d) $(wildcard $(B)/pic/*/*.d $(B)/pic/*/*/*.d $(B)/pic/*/*/*/*.d) $(wildcard $(B)/obj/scripts/*/*.d)

# What a record names as its version, the launcher of ovl sweep, and for ovl doctor what was built in; a release unpacked elsewhere, even inside another clone, says unknown.
git_version = $(or $(if $(wildcard .git),$(shell git describe --always --dirty 2>/dev/null)),unknown)

$(B)/version.h: $(FORCE_OURS)
	$(Q)mkdir -p $(@D); printf '#define OVL_%s "%s"\n' VERSION '$(VERSION)' GIT '$(git_version)' MPIEXEC '$(MPIEXEC)' \
		MPI_LIBRARY '$(MPI_LIBRARY)' FLAGS '$(subst ",\",$(subst \,\\,$(subst ','\'',$(strip $(CFLAGS) $(sanitize)))))' \
		$(foreach w,HWLOC VERBS CBLAS FFTW SHA256,WITH_$(w) '$(WITH_$(w))') >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# Archives, so that a program takes only the members it needs: unit tests use MPI-free files of bench without MPI. When a
# file leaves a room, its list is another one, and the archive is made again without its object.
members_libovlkernels := $(kernel_obj)
members_libovlcore := $(core_obj)
members_libovloffload := $(simulate_obj) $(offload_obj) $(offload_mpi_obj)
members_libovlbench := $(filter-out %/main.o,$(bench_obj)) $(coll_obj)
members_libovlapps := $(filter-out $(app_main_obj),$(app_obj))
members_libovltool := $(filter-out %/main.o,$(tool_obj))
members_tool := $(tool_obj)
members_unit := $(unit_obj) $(fakes)
archives := $(addprefix $(B)/lib/,libovlkernels.a libovlcore.a libovloffload.a libovlbench.a libovlapps.a libovltool.a)
lists := $(archives:.a=.list) $(addprefix $(B)/lib/,tool.list unit.list)
$(lists): $(B)/lib/%.list: FORCE
	$(call stamp,$(members_$*))

$(archives): $(B)/lib/%.a: $$(members_$$*) $(B)/lib/%.list
	@$(say) AR $@; rm -f $@
	$(Q)$(AR) qcs $@ $(filter %.o,$^)

core_libs := $(B)/lib/libovlcore.a $(B)/lib/libovlkernels.a
engine_libs := $(B)/lib/libovloffload.a $(core_libs)
app_libs := $(B)/lib/libovlapps.a


## Programs

link = @$(say) LD $@; mkdir -p $(@D)
bench_libs := $(B)/lib/libovlbench.a $(engine_libs)
all_libs := $(app_libs) $(bench_libs)

# What each is made of: objects and archives, in the order of the link line.
$(drivers): $(B)/bin/ovl_%: $(B)/obj/src/bench/coll/%.o $(driver_obj) $(bench_libs)
$(worker): $(worker_obj) $(engine_libs)
# ovl_worker with an engine that moves nothing.
$(dropping_worker): $(worker_obj) $(drop_obj) $(engine_libs)
$(dropping_worker): private with = $(addprefix -Wl$(comma)--wrap=ovl_p2p_,copy send recv)
# Nodes of ranks may have no libibverbs, which a carrier never uses: the path that is absent comes before the archive's.
$(carrier): $(carrier_obj) $(no_verbs) $(engine_libs)
$(apps): $(B)/bin/ovl_%: $(B)/obj/src/apps/%/app.o $(B)/obj/src/bench/app/main.o $(all_libs)
# It runs no kernel, and so what needs the BLAS comes before the archive's.
$(tool): $(tool_obj) $(no_blas) $(engine_libs) $(B)/lib/tool.list | $(preload) $(heap)
$(unit): $(unit_obj) $(fakes) $(preload_pure) $(heap_obj) $(B)/lib/libovltool.a $(all_libs) $(B)/lib/unit.list
# Tests break the engine's rules from outside: tests/fake/bed_rules.c.
rules := $(addprefix -Wl$(comma)--wrap=ovl_,pool_has pool_alloc pool_free frag_alloc frag_free cmdq_complete worker_poll_cmds)
$(unit): private with = $(rules) $(CHECK_LIBS)
$(mpi_tests): $(B)/tests/mpi/%: $(B)/obj/tests/mpi/%.o $(all_libs)
# Programs that know nothing of ovl.
$(preload_tests): $(B)/tests/%: $(B)/obj/tests/preload/%.o
$(B)/tests/random: $(B)/obj/tests/preload/flight.o
# Fakes that assert are for suites alone.
$(sim): $(sim_obj) $(filter-out %/play.o %/train_case.o %/workers.o,$(fake_obj)) $(B)/lib/libovltool.a $(all_libs)
$(sim): private with = $(rules)
# A harness with the kept inputs, and the same with libFuzzer, which clang brings.
harness_libs := $(fuzz_shared) $(B)/lib/libovltool.a $(all_libs)
$(replays): $(B)/tests/replay_%: $(B)/obj/tests/fuzz/%.o $(replay_obj) $(harness_libs)
$(fuzzers): $(B)/tests/fuzz_%: $(B)/obj/tests/fuzz/%.o $(harness_libs)
$(replays) $(fuzzers): private with = -Wl,--wrap=ovl_gnuplot_run $(if $(findstring /fuzz_,$@),-fsanitize=fuzzer)

by_mpi := $(drivers) $(worker) $(dropping_worker) $(apps) $(mpi_tests) $(preload_tests) $(sim)
by_cc := $(carrier) $(tool) $(unit) $(replays) $(fuzzers)
$(by_mpi): private linker = $(MPICC)
$(by_cc): private linker = $(CC)
$(by_mpi) $(by_cc):
	$(link)
	$(Q)$(linker) $(ovl_ldflags) -o $@ $(filter %.o %.a,$^) $(with) $(libs)

# It brings the rank's end of the engine with it, and neither MPI nor libibverbs: the program has its own MPI.
preload_src := $(wildcard src/preload/*/*.c) $(addprefix src/,base/error.c base/clock.c base/output_file.c base/page_alloc.c base/path.c base/abi_check.c machine/cgroup.c machine/cpu_quota.c machine/machine.c machine/memory_room.c table/offload_file.c table/offload.c) \
	kernels/compress_szx.c kernels/small_float.c $(wildcard src/offload/coll/*.c src/offload/client/*.c) $(filter-out src/offload/mem/verbs_% %_verbs.c,$(wildcard src/offload/mem/*.c)) \
	src/offload/mem/verbs_none.c src/offload/transport/tcp_host.c \
	$(addprefix src/offload/carrier/,attach.c carrier.c handshake.c)
$(preload): $(patsubst %.c,$(B)/pic/%.o,$(preload_src)) src/preload/exports.map
	$(link)
	$(Q)$(CC) $(filter-out -fsanitize=% -fno-sanitize%,$(ovl_ldflags)) -shared -Wl,-z,defs \
		-Wl,--version-script=src/preload/exports.map -o $@ $(filter %.o,$^) -ldl -lm

# It stands before malloc, with nothing else in it. No loop of its own may become a call of what it defines.
$(heap): $(patsubst %.c,$(B)/pic/%.o,$(wildcard src/heap/*.c)) src/heap/exports.map
	$(link)
	$(Q)$(CC) $(filter-out -fsanitize=% -fno-sanitize%,$(ovl_ldflags)) -shared -Wl,-z,defs \
		-Wl,--version-script=src/heap/exports.map -o $@ $(filter %.o,$^) -ldl

# FFTW's own parallel transform, where its MPI library is here and belongs to this MPI.
$(B)/tests/fftw_mpi: tests/compare/fftw_mpi.c $(B)/flags
	$(link)
	$(Q)$(compile_mpi) $(ovl_ldflags) -o $@ $< -lfftw3_mpi $(FFTW_LIBS) -lm || { \
		echo 'compare-fftw needs libfftw3-mpi-dev and the MPI that it was built for (Debian: Open MPI)' >&2; exit 1; }

# A shim that needs a file of ours names it: /* link: src/base/clock.c */
shim_links = $(patsubst %.c,$(B)/pic/%.o,$(shell sed -n 's|^/\* link: *\(.*[^ ]\) *\*/|\1|p' tests/shim/$(1).c))

$(shims): $(B)/tests/shim/%.so: $(B)/pic/tests/shim/%.o $$(call shim_links,$$*)
	$(link)
	$(Q)$(MPICC) $(filter-out -fsanitize=% -fno-sanitize%,$(ovl_ldflags)) -shared -o $@ $^ -ldl


## Data and manual pages, laid out as in the install prefix

copy = @mkdir -p $(@D); cp $< $@

$(plots): $(B)/share/ovl/%: scripts/%
	$(copy)
$(models): $(B)/share/ovl/models/%: src/apps/train/models/%
	$(copy)
$(served): $(B)/share/ovl/served/%: src/apps/serve/models/%
	$(copy)
$(B)/share/ovl/record.schema.json: $(B)/make_tables
	@$(say) MAKE $@; mkdir -p $(@D)
	$(Q)$(run_tables) record-schema >$@
$(B)/share/ovl/limits.schema.json: src/tool/accept/limits.schema.json.in $(B)/make_tables
	@$(say) MAKE $@; mkdir -p $(@D)
	$(Q)$(run_tables) limits-schema $< >$@
$(foreach file,$(tool_data_src),$(eval $(B)/share/ovl/$(notdir $(file)): $(file)))
$(tool_data):
	$(copy)
$(pages): $$(addprefix man/,$$(@F))
	$(copy)

# Options and fields come from the tables that the programs read. The program that prints them runs while building: in a
# cross build it is made of the same sources for this machine.
run_tables := $(addprefix LD_LIBRARY_PATH=,$(subst $() ,:,$(strip $(patsubst -L%,%,$(filter -L%,$(JANSSON_LIBS) $(HWLOC_LIBS))) \
	$$LD_LIBRARY_PATH))) $(B)/make_tables
tables_src := $(filter-out src/base/sha256%.c,$(wildcard $(foreach room,base stats cli cli/moe cli/presets record record/offload record/derived plan,src/$(room)/*.c)))
ifeq ($(BUILD_CC),)
$(B)/make_tables: scripts/build/make_tables.c $(core_libs) $(B)/flags | $(B)/version.h
	$(link); mkdir -p $(B)/obj/scripts/build
	$(Q)$(compile) $(ovl_ldflags) -MMD -MP -MF $(B)/obj/scripts/build/make_tables.d -o $@ $< $(core_libs) $(libs)
else
$(B)/make_tables: scripts/build/make_tables.c $(tables_src) $(B)/flags | $(B)/version.h
	$(link)
	$(Q)$(BUILD_CC) -std=c11 -pthread $(ovl_cppflags) $(BUILD_JANSSON_CFLAGS) -o $@ $< $(tables_src) $(BUILD_JANSSON_LIBS) -lm
endif

# What scripts/cluster floor runs, and what scripts that compare take their intervals from.
$(B)/cluster_floor: scripts/beds/cluster_floor.c scripts/beds/cluster_floor_node.c scripts/beds/cluster_floor.h
$(B)/medians: scripts/compare/medians.c
$(B)/cluster_floor $(B)/medians: $(core_libs) $(B)/flags | $(B)/version.h
	$(link)
	$(Q)$(compile) $(ovl_ldflags) -o $@ $(filter %.c,$^) $(core_libs) $(libs)

# A line @NAME@ or @NAME INPUT@ of a page stands for the table of that name.
$(made_pages): $$(addprefix man/,$$(@F).in) $(B)/make_tables
	@$(say) MAN $@; mkdir -p $(@D)
	$(Q)while IFS= read -r line; do case $$line in \
		@*@) line=$${line#@}; $(run_tables) $${line%@} || exit 1 ;; \
		*) printf '%s\n' "$$line" ;; esac; done <$(filter %.in,$^) >$@

page_of = $(if $(filter %/ovl_worker.1,$(1)),man7/ovl_dpu.7,$(if $(filter %/ovl_carrier.1,$(1)),man1/ovl_offload.1,man1/ovl_bench.1))
$(driver_links): Makefile | $(driver_page)
	$(Q)echo '.so $(call page_of,$@)' >$@


## What can be asked for

.PHONY: all aarch64 config reconfigure check check-verbs check-slurm check-release check-long worker demo truth compare-fftw compare-hpl compare-omb compare-imb compare-p3dfft golden coverage verdicts changes last plans costs pipeline paper deps install uninstall deb dist clean format lint tests shims fuzz fuzzers help FORCE
FORCE:

all: $(programs) $(B)/cluster_floor $(B)/medians $(archives) $(data) $(B)/compile_commands.json ## build everything under build/ (default)

tests: all $(unit) $(mpi_tests) $(preload_tests) $(shims) $(dropping_worker) $(replays) $(sim) ## build the tests and run none of them

shims: $(shims)

run_env = OVL_TOP='$(CURDIR)' OVL_BUILD='$(abspath $(B))' OVL_BIN='$(abspath $(B)/bin)' OVL_MPIEXEC='$(MPIEXEC)' \
	OVL_MPI='$(MPI_LIBRARY)' OVL_SHIM='$(abspath $(B)/tests/shim)'
check_env = OVL_NOT_BUILT='$(strip $(filter tests/mpi/%,$(not_chosen)))' OVL_CC='$(CC) $(filter-out -Werror $(sanitize),$(ovl_cflags)) $(MPI_CPPFLAGS)' \
	OVL_SANITIZE='$(SANITIZE)' VALGRIND='$(VALGRIND)' OVL_PAGES='$(strip $(pages) $(made_pages))'

check: tests $(if $(findstring verbs,$(SUITE)),worker) ## install what is missing, build, and run every test (SUITE=, ONLY=)
	@$(run_env) $(check_env) scripts/check/run-tests $(SUITE)

check-verbs: tests worker ## test the path verbs in guests with soft-RoCE adapters (`make check SUITE=verbs` installs QEMU)
	@DEPS=no $(run_env) $(check_env) scripts/check/run-tests verbs

check-slurm: tests ## test under a Slurm of two nodes made for it (needs root; `make check SUITE=slurm` installs Slurm)
	@DEPS=no $(run_env) $(check_env) scripts/check/run-tests slurm

# Neither a rank nor its times are emulated, but what a worker takes of time is QEMU's.
aarch64: $(addprefix $(B)/bin/,ovl ovl_ialltoall) $(data) ## measure with a worker for aarch64 that QEMU runs: data and counters, no times (installs what is missing)
	@$(run_env) scripts/beds/aarch64 prepare && $(run_env) scripts/beds/aarch64 show

check-release: ## build, check, install and use the release of HEAD, and its package, in empty chroots of Debian 12 and 13 (root; four hours)
	@OVL_BUILD='$(B)' scripts/check/release

check-long: ## all that `make check` has no time for, into build/check-long; PART="gcc fuzz" for some (hours)
	@OVL_BUILD='$(B)' scripts/check/long $(PART)

# For a DPU: no configure and none of the libraries that only measuring needs. `make worker MPICC=...`; without libibverbs
# WITH_VERBS=none. Elsewhere than the full build, which has another.
lone := $(B)/worker
lone_src = $(addprefix src/,base/error.c base/abi_check.c base/clock.c base/page_alloc.c base/path.c base/input_file.c base/standard_streams.c machine/cgroup.c machine/cpu_quota.c machine/machine.c machine/memory_room.c machine/port.c machine/dpu_map.c) kernels/compress_szx.c kernels/small_float.c \
	$(if $(filter none,$(WITH_VERBS)),,src/machine/adapters_verbs.c) \
	$(filter-out $(if $(filter none,$(WITH_VERBS)),%_verbs.c %/verbs_port.c %/verbs_ep.c %/verbs_join.c,%/verbs_none.c), \
		$(filter-out src/offload/carrier/%,$(sort $(wildcard src/offload/*/*.c))))
lone_mpicc = $(or $(asked_MPICC),$(if $(configured),$(MPICC)),$(shell command -v mpicc.mpich || echo mpicc))
worker: ## build ovl_worker alone under build/worker, for a DPU: needs MPI and libibverbs only
	@mkdir -p $(lone); printf '#define OVL_VERSION "%s"\n#define OVL_GIT "%s"\n' '$(VERSION)' '$(git_version)' \
		>$(lone)/version.h
	$(Q)$(lone_mpicc) -std=c11 $(CFLAGS) $(warnings) -D_GNU_SOURCE -I. -I$(lone) -Isrc -pthread $(CPPFLAGS) \
		-o $(lone)/ovl_worker $(lone_src) $(LDFLAGS) $(if $(filter none,$(WITH_VERBS)),,$(or $(VERBS_LIBS),-libverbs)) -lm
	@echo '$(lone)/ovl_worker'

FUZZ_CC ?= clang
FUZZ_SECONDS ?= 60
fuzz: ## let libFuzzer look for faults, FUZZ_SECONDS=60 for each of tests/fuzz/*.c (needs clang)
	@$(MAKE) --no-print-directory B=$(B)/fuzz CC=$(FUZZ_CC) \
		SANITIZE=address,undefined,float-cast-overflow,fuzzer-no-link fuzzers
	@$(run_env) scripts/check/fuzz $(FUZZ_SECONDS) $(if $(HARNESS),$(HARNESS),$(harnesses))

fuzzers: $(fuzzers) $(schema) $(plots)

# Of the programs only those that it runs: a user waits for it.
demo: $(addprefix $(B)/bin/,ovl ovl_ialltoall ovl_ibcast ovl_allreduce) $(data) ## install what is missing, build, run the main job and draw its charts
	@$(run_env) scripts/build/demo

paper: $(tool) $(schema) $(plots) ## draw all figures of a paper from the records under results/, with a page on how to make each: build/paper
	@$(run_env) scripts/compare/paper draw

costs: $(sim) ## show what schedules and the job's map cost at 10,000 ranks
	@$(sim) costs

truth: all shims $(sim) ## show what the drivers say where the answer is known, on this machine
	@$(run_env) bash -c '. scripts/beds/mpi-env && exec scripts/check/truth'

compare-fftw: $(apps) $(B)/tests/fftw_mpi
	@$(run_env) scripts/compare/fft fftw

compare-hpl: $(apps) ## hold ovl_hpl against HPL, built under HPL=DIR, or Debian's hpcc (ROUNDS=, N=, PROCS=, RATE=)
	@$(run_env) scripts/compare/hpl $(HPL)

compare-omb compare-imb: all shims ## hold the OSU or the Intel benchmarks, built under OMB=DIR or IMB=DIR, against a known truth
	@$(run_env) scripts/compare/known-truth $(@:compare-%=%) $(if $(filter %omb,$@),$(OMB),$(IMB))

compare-p3dfft: $(apps) ## hold ovl_fft3d's blocking scheme against P3DFFT, built under P3DFFT=DIR (ROUNDS=, GRIDS=, PROCS=, RATE=)
	@$(run_env) scripts/compare/fft p3dfft $(P3DFFT)

golden: all $(sim) ## what the programs print of the kept records, into $(TO): held against the same after a change
	@OVL_BUILD='$(B)' scripts/check/golden '$(or $(if $(call origin_is,command,TO),$(TO)),$(B)/golden)'

pipeline: $(sim) $(carrier) ## run 10,000 jobs on the engine's bed, and print what ranks and workers cost (20 seconds)
	@$(sim) bed 10000
	@$(sim) bed orders 20000
	@$(sim) bed cost
	@$(sim) bed times
	@$(sim) bed joins

coverage: $(sim) ## simulate how often the intervals of cells hold the truth (CELLS=10000; some minutes)
	@$(sim) coverage $(CELLS)

verdicts: $(sim) ## simulate how often compare's verdicts err, into results/verdicts.txt (10 minutes)
	@$(run_env) scripts/check/verdicts $(FAMILIES)

plans: $(sim) $(models) ## show what plans of 10,000 events take to make, and how near plans of applications come to their bounds, with sleep for work (a minute at most)
	@$(sim) plans times
	@$(sim) plans $(SEED)

changes: $(sim) ## simulate how often ovl history finds a change, and one that is none, and when, into results/changes.txt (4 minutes)
	@$(run_env) scripts/check/verdicts changes $(FAMILIES)

last: $(sim) ## simulate how often ovl history --last raises a false alarm in a night, into results/last.txt (a minute)
	@$(run_env) scripts/check/verdicts last $(FAMILIES)

deps: ## install the packages that ovl can use and that are not here (Debian, Ubuntu; root or sudo)
	@OVL_BUILD='$(B)' scripts/build/install-deps && echo 'ovl has all that it can use here'

reconfigure: config ## look again for libraries and programs, as after `module load fftw`

config: ## show what this build is configured with, and where each value comes from
	@echo '$(B)/config.mk:'
	@$(foreach v,$(config_vars) $(filter-out host,$(config_dirs)),$(if $($(v)),\
		printf '  %-18s %-12s %s\n' $(v) '$(call from,$(v))' $(call quote,$(strip $($(v))));))

place = $(foreach v,prefix bindir mandir DESTDIR,$(v)=$(call quote,$($(v)))) scripts/build/install
install: all ## put programs, charts and pages under $(DESTDIR)$(prefix)
	@$(place) put '$(B)' $(patsubst $(B)/%,%,$(programs) $(data))

uninstall: ## take away what install put there, and the folders that it made
	@$(place) remove

deb: ## make a Debian package of HEAD: $(B)/ovl_VERSION_ARCH.deb; WHAT=worker: ovl-worker, for a DPU (needs debhelper)
	+@MAKE='$(MAKE)' scripts/build/deb '$(B)' $(filter worker,$(WHAT))

# What is committed, and configure; the same commit and autoconf give the same bytes.
release = ovl-$(shell git show HEAD:configure.ac | sed -n 's/^AC_INIT(\[ovl\], \[\(.*\)\])$$/\1/p')
dist: ## make $(B)/ovl-VERSION.tar.gz of HEAD, which builds without git and autoconf
	@git rev-parse -q --verify HEAD >/dev/null || { echo 'make dist needs git and a clone' >&2; exit 1; }
	@git diff --quiet HEAD || echo 'changes that are not committed are left out' >&2
	@scripts/build/fresh-folder '$(B)/dist' && mkdir -p '$(B)/dist/$(release)'
	@git archive HEAD | tar -x -C '$(B)/dist/$(release)'
	@cd '$(B)/dist/$(release)' && autoconf && rm -rf autom4te.cache
	@tar --create -C '$(B)/dist' --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
		--mtime=@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} $(release) | gzip -n9 >'$(B)/$(release).tar.gz'
	@rm -r '$(B)/dist'; scripts/build/fresh-folder '$(B)/spack' && cp -r scripts/spack/. '$(B)/spack'
	@sed -i -e 's|@URL@|$(or $(RELEASE_URL),file://$(abspath $(B))/$(release).tar.gz)|' -e 's|@VERSION@|$(release:ovl-%=%)|' \
		-e "s|@SHA256@|$$(sha256sum '$(B)/$(release).tar.gz' | cut -c 1-64)|" -e 's|# @RELEASE@ ||' '$(B)/spack/packages/ovl/package.py'
	@cd '$(B)' && sha256sum $(release).tar.gz >$(release).tar.gz.sha256
	@echo '$(B)/$(release).tar.gz, its digest beside it (.sha256), and a Spack repository for it in $(B)/spack'

# Whatever the folder is configured with.
made := $(programs) $(data) $(archives) $(lists) $(unit) $(mpi_tests) $(preload_tests) $(shims) $(dropping_worker) $(replays) $(fuzzers) \
	$(sim) $(B)/tests/fftw_mpi \
	$(addprefix $(B)/,lib/libovl_offload.so lib/libovl_heap.so cluster_floor medians make_tables compile_commands.json flags sources version.h) $(lone)/version.h $(lone)/ovl_worker
clean: ## remove what make made in the build folder; results and other files stay
	@scripts/build/clean '$(B)' $(patsubst $(B)/%,%,$(made))

format: ## rewrite C files in the house style
	clang-format -i $(all_c)

# One file each time: version 14 loses sight of va_start from the second file on. What is passed over, and why, stands
# in .clang-tidy and in scripts/check/cppcheck.suppress.
lint: all ## cppcheck and clang-tidy, where present
	@bad=0; \
	if [ -n '$(CPPCHECK)' ]; then \
		$(CPPCHECK) --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
			--suppressions-list=scripts/check/cppcheck.suppress $(ovl_cppflags) kernels src || bad=1; \
	else echo 'cppcheck is not here: skipped'; fi; \
	if [ -n '$(CLANG_TIDY)' ]; then \
		printf '%s\n' $(call sources,kernels/*.c src/*/*.c src/*/*/*.c) | \
			xargs -n 1 -P $(shell env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) $(CLANG_TIDY) --quiet -p $(B) || bad=1; \
	else echo 'clang-tidy is not here: skipped'; fi; \
	exit $$bad

# One entry for each object, with the compiler in place of the MPI wrapper, which tools cannot look into.
json_string = $(subst ",\",$(subst \,\\,$(1)))
define json_entry
$(2){"directory": "$(CURDIR)", "file": "$(1)", "command": "$(call json_string,$(compile) $(MPI_CPPFLAGS) -c $(1))"}

endef
all_src := $(patsubst $(B)/obj/%.o,%.c,$(all_obj)) $(shim_src)

$(B)/compile_commands.json: $(B)/flags $(B)/sources
	$(file >$@,[)$(foreach s,$(all_src),$(file >>$@,$(call json_entry,$(s),$(if $(filter $(firstword $(all_src)),$(s)),,$(comma)))))$(file >>$@,])
	@:

$(B)/sources: FORCE
	$(call stamp,$(all_src))

help: ## show this list
	@echo 'make TARGET [VARIABLE=VALUE...]'; echo
	@sed -n 's/^\([a-z][a-z0-9 -]*\):.*## \(.*\)/\1\t\2/p' Makefile | while IFS='	' read -r t w; do \
		printf '  %-11s %s\n' "$$t" "$$w"; done
	@echo; sed -n '/^#   [A-Z_]*=\|^#   [a-z]*=/s/^#   /  /p' Makefile
