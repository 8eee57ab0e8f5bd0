# The unit tests, and the tests that count the work of parsers. Included by the CMakeLists.txt of the root.

add_executable(unit_tests EXCLUDE_FROM_ALL ${unit_tests})
target_link_libraries(unit_tests PRIVATE patchbay_lib GTest::gtest_main)
compile_folders_together(unit_tests ${unit_tests})
add_parsed_headers(test_headers HEADERS ${common_headers} <gtest/gtest.h>
  LIBRARIES patchbay_sanitizers fmt::fmt GTest::gtest)
use_parsed_headers(unit_tests test_headers)
target_compile_options(unit_tests PRIVATE ${quick_flags})
# The harnesses of fuzz/ over their seeds; see testing/fuzz_seeds.cc.
file(GLOB harnesses CONFIGURE_DEPENDS fuzz/*.cc)
foreach(harness ${harnesses})
  get_filename_component(name ${harness} NAME_WE)
  set_source_files_properties(${harness} PROPERTIES
    COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=fuzz_${name})
  string(APPEND harness_list "HARNESS(${name})\n")
endforeach()
file(CONFIGURE OUTPUT fuzz_harnesses.inc CONTENT "${harness_list}")
add_library(harnesses OBJECT EXCLUDE_FROM_ALL ${harnesses})
target_link_libraries(harnesses PRIVATE patchbay_lib)
target_sources(unit_tests PRIVATE testing/fuzz_seeds.cc)
target_link_libraries(unit_tests PRIVATE harnesses)
set_source_files_properties(testing/fuzz_seeds.cc testing/complexity.cc PROPERTIES
  INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR})
set_source_files_properties(testing/fuzz_seeds.cc PROPERTIES
  COMPILE_DEFINITIONS PATCHBAY_FUZZ_CORPUS="${CMAKE_SOURCE_DIR}/fuzz/corpus")

# The same harnesses over their worst inputs, with the work counted (testing/complexity.cc). What reads
# foreign bytes is compiled once more for that, so that each step is counted; everything else comes
# from the library as it is.
if(NOT PATCHBAY_SANITIZE)
  file(GLOB counted CONFIGURE_DEPENDS src/json/*.cc src/json/schema/*.cc src/mcp/*.cc
    src/core/base64.cc src/core/glob.cc src/core/command_line.cc src/config/*.cc
    src/net/http/syntax/parse.cc src/net/http/syntax/percent.cc src/net/http/syntax/url.cc
    src/net/http/client/response.cc src/net/websocket/frame.cc src/transport/event_reader.cc
    src/transport/wire/*.cc src/store/redis/reply.cc src/bus/avro/*.cc src/bus/bearer_token.cc src/bus/correlation.cc
    src/bus/framing.cc src/bus/registration.cc src/upstreams/openapi/*.cc src/egress/request.cc
    src/upstreams/kafka/offer.cc src/upstreams/kafka/reply.cc src/upstreams/sandbox/a*.cc
    src/osquery/sql_tokens.cc src/osquery/statement.cc src/oauth/challenge.cc
    src/oauth/device_flow.cc src/oauth/metadata.cc src/oauth/scopes.cc src/oauth/token_answer.cc
    src/policy/auth/jw*.cc src/policy/auth/token_*.cc src/policy/auth/htpasswd.cc
    src/policy/rules/access.cc src/policy/rules/pattern.cc
    src/sandbox/egress.cc src/sandbox/disks.cc src/sandbox/cgroup_paths.cc src/sandbox/workspace.cc
    src/skills/arithmetic.cc src/skills/expression_tokens.cc src/skills/osquery.cc
    src/frontends/goal/steps.cc src/frontends/kafka/request.cc src/app/server_list.cc
    src/app/endpoint.cc src/app/client_entry.cc src/app/client_file.cc src/app/client_keys.cc
    src/app/client_text.cc src/agent/params.cc src/agent/protocol.cc src/agent/output.cc
    src/telemetry/otlp_response.cc)
  list(FILTER counted EXCLUDE REGEX "src/transport/wire/(envelope_channel|frame_channel|frame_connection)|src/upstreams/sandbox/agent_link")
  list(REMOVE_ITEM counted ${unit_tests})
  add_library(counted_parsers STATIC EXCLUDE_FROM_ALL ${counted})
  target_compile_options(counted_parsers PRIVATE -w -O1 -fsanitize-coverage=trace-pc)
  target_link_libraries(counted_parsers PRIVATE patchbay_flags fmt::fmt PkgConfig::yaml CLI11::CLI11 OpenSSL::SSL ZLIB::ZLIB
    SQLite::SQLite3 PkgConfig::rdkafka PkgConfig::libseccomp PkgConfig::libedit PkgConfig::systemd)
  use_parsed_headers(counted_parsers common_headers)
  compile_folders_together(counted_parsers ${counted})
  add_executable(complexity_tests EXCLUDE_FROM_ALL
    testing/complexity.cc testing/work_count.cc testing/worst_inputs.cc)
  set_source_files_properties(testing/work_count.cc PROPERTIES COMPILE_OPTIONS -fno-builtin)
  # First the counted ones, so that the library only adds what they lack. An object of the library
  # has several files in it, of which some may be counted: the first definition is used.
  target_link_libraries(complexity_tests PRIVATE harnesses counted_parsers patchbay_lib
    GTest::gtest_main)
  target_link_options(complexity_tests PRIVATE -Wl,--allow-multiple-definition)
endif()
