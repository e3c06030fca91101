# GoogleTest suites as tests of ctest: a process each, for starting one (LLVM, Qt) takes longer than most tests.
#
#   loopglass_discover_suites(<target> <prefix> [ONE_BY_ONE] [<property> <value>]...)
#
# After <target> is built its suites are listed, as <prefix>.<suite>. ONE_BY_ONE: each test by itself, where tests
# take seconds and are to share the processors, or are skipped where something is missing, which ctest then says.

if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${TESTS} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[ \t]*#[^\n]*" "" listed "${listed}")  # parameters, which are behind names
  string(REPLACE "\n" ";" listed "${listed}")
  set(script "")
  foreach(line IN LISTS listed)
    if(line MATCHES "^([^ ]+)\\.$")
      set(suite ${CMAKE_MATCH_1})
      set(name "*")
    elseif(line MATCHES "^  ([^ ]+)$" AND suite)
      set(name ${CMAKE_MATCH_1})
    else()
      continue()
    endif()
    set(skipped "")
    if(ONE_BY_ONE AND name STREQUAL "*")
      continue()
    elseif(ONE_BY_ONE)
      set(test ${PREFIX}.${suite}.${name})
      set(skipped "SKIP_REGULAR_EXPRESSION [==[\\[  SKIPPED \\]]==]")
    elseif(name STREQUAL "*")
      set(test ${PREFIX}.${suite})
    else()
      continue()
    endif()
    string(APPEND script "add_test([==[${test}]==] [==[${TESTS}]==] [==[--gtest_filter=${suite}.${name}]==])\n"
                         "set_tests_properties([==[${test}]==] PROPERTIES ${PROPERTIES} ${skipped})\n")
  endforeach()
  file(WRITE ${LIST} "${script}")
  return()
endif()

function(loopglass_discover_suites target prefix)
  cmake_parse_arguments(PARSE_ARGV 2 option "ONE_BY_ONE" "" "")
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}.cmake)
  string(REPLACE ";" " " properties "TIMEOUT;1800;${option_UNPARSED_ARGUMENTS}")
  add_custom_command(
    TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -D TESTS=$<TARGET_FILE:${target}> -D PREFIX=${prefix} -D ONE_BY_ONE=${option_ONE_BY_ONE}
            -D "PROPERTIES=${properties}" -D LIST=${list} -P ${CMAKE_SOURCE_DIR}/tests/suites.cmake
    BYPRODUCTS ${list}
    VERBATIM)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list})
endfunction()
