# Cross-builds for 64-bit ARM with clang, against the libraries that tools/sysroot has unpacked in the
# folder of the build. `./dev cross arm64` makes that folder and uses this file (preset `arm64`).
#
# Programs of the target run under qemu-user where the build or ctest must run them.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(triplet aarch64-linux-gnu)

set(PATCHBAY_SYSROOT ${CMAKE_BINARY_DIR}/sysroot CACHE PATH "The libraries of the target")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PATCHBAY_SYSROOT)
if(NOT EXISTS ${PATCHBAY_SYSROOT}/usr/include)
  message(FATAL_ERROR "There are no libraries of arm64 in ${PATCHBAY_SYSROOT}: run ./dev cross arm64")
endif()

set(CMAKE_SYSROOT ${PATCHBAY_SYSROOT})
set(CMAKE_CXX_COMPILER_TARGET ${triplet})
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)  # The linker of this machine may know its own targets only.
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
# Libraries and headers are the target's, programs such as python3 are this machine's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${PATCHBAY_SYSROOT})
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR}
  ${PATCHBAY_SYSROOT}/usr/lib/${triplet}/pkgconfig:${PATCHBAY_SYSROOT}/usr/share/pkgconfig)

find_program(PATCHBAY_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(PATCHBAY_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${PATCHBAY_QEMU} -L ${PATCHBAY_SYSROOT})
endif()
