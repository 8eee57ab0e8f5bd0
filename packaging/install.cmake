# Part of `cmake --install`: what belongs to the programs beside them. The man page, the completions
# and the configuration are printed by the program itself, and the unit names the folders that are
# installed to, which are only known now (`cmake --install --prefix`).
#
# Set by CMakeLists.txt: PATCHBAY_SOURCE, PATCHBAY_BINARY_DIR, PATCHBAY_PROGRAM, and PATCHBAY_EMULATOR, the
# command that runs a program of another processor, or nothing.

set(made "${PATCHBAY_BINARY_DIR}/installed")
file(MAKE_DIRECTORY "${made}")

# print_to(FILE ARGS…): the output of the program becomes FILE.
function(print_to file)
  execute_process(COMMAND ${PATCHBAY_EMULATOR} "${PATCHBAY_PROGRAM}" ${ARGN} OUTPUT_FILE "${made}/${file}"
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${PATCHBAY_PROGRAM} ${ARGN}: ${failed}")
  endif()
endfunction()

# put(FOLDER FILES…): below the prefix, and below DESTDIR if that is set.
function(put folder)
  file(INSTALL ${ARGN} DESTINATION "${CMAKE_INSTALL_PREFIX}/${folder}" TYPE FILE)
endfunction()

print_to(patchbay.1 man)
put(share/man/man1 "${made}/patchbay.1" "${PATCHBAY_SOURCE}/packaging/man/patchbay-agent.1"
  "${PATCHBAY_SOURCE}/packaging/man/osquery-mcp-server.1")
print_to(patchbay completion bash)
put(share/bash-completion/completions "${made}/patchbay")
print_to(_patchbay completion zsh)
put(share/zsh/site-functions "${made}/_patchbay")
print_to(patchbay.fish completion fish)
put(share/fish/vendor_completions.d "${made}/patchbay.fish")

# /usr has its settings in /etc; other prefixes have their own.
set(sysconfdir "${CMAKE_INSTALL_PREFIX}/etc")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(sysconfdir /etc)
endif()
set(bindir "${CMAKE_INSTALL_PREFIX}/bin")
configure_file("${PATCHBAY_SOURCE}/packaging/systemd/patchbay.service.in"
  "${made}/patchbay.service" @ONLY)
put(lib/systemd/system "${made}/patchbay.service"
  "${PATCHBAY_SOURCE}/packaging/systemd/patchbay.socket")
put(share/doc/patchbay/examples "${PATCHBAY_SOURCE}/packaging/systemd/sandbox.conf"
  "${PATCHBAY_SOURCE}/deploy/prometheus/patchbay.rules.yaml"
  "${PATCHBAY_SOURCE}/deploy/prometheus/patchbay.rules.test.yaml"
  "${PATCHBAY_SOURCE}/deploy/grafana/patchbay.json")
put(share/patchbay/apparmor "${PATCHBAY_SOURCE}/packaging/apparmor/patchbay")
put(share/doc/patchbay "${PATCHBAY_SOURCE}/LICENSE" "${PATCHBAY_SOURCE}/NOTICE"
  "${PATCHBAY_SOURCE}/CHANGELOG.md" "${PATCHBAY_SOURCE}/README.md")

# A configuration that is there already stays as it is.
file(REMOVE "${made}/patchbay.yaml")
execute_process(COMMAND ${PATCHBAY_EMULATOR} "${PATCHBAY_PROGRAM}" init patchbay.yaml WORKING_DIRECTORY "${made}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ "${made}/patchbay.yaml" text)
string(REPLACE "check patchbay.yaml" "check ${sysconfdir}/patchbay/patchbay.yaml" text "${text}")
file(WRITE "${made}/patchbay.yaml" "${text}")
if(NOT EXISTS "$ENV{DESTDIR}${sysconfdir}/patchbay/patchbay.yaml")
  file(INSTALL "${made}/patchbay.yaml" DESTINATION "${sysconfdir}/patchbay" TYPE FILE)
endif()
