# Writes which commit the sources are, "" where they are no checkout of Broch's own: the same
# sources give the same text, so that builds can be repeated. Run at each build, since what was
# configured would go stale:
#   cmake -D SOURCE=… -D RESULT=commit.cpp -P BrochCommit.cmake
file(REAL_PATH ${SOURCE} SOURCE)
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(commit "")
if("${top}" STREQUAL "${SOURCE}")  # else Broch lies in the checkout of something else
  execute_process(
    COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty=+ --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${RESULT} CONTENT [[
// Made by cmake/BrochCommit.cmake.
#include "version.hpp"

const char* const broch::cli::kCommit = "@commit@";
]] @ONLY)
