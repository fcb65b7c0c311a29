# InstalledLinks.cmake: after an installation, makes links of the documentation lead to what is
# installed: headers, samples, other pages. A link to another file of the source tree becomes text.
set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share")
set(up "\\]\\(((\\.\\./)*)\\.\\./")  # the last ../ leaves the folder docs or samples
set(elsewhere "(tests|host|cmake|plugins/[a-z]+/|SECURITY|CONTRIBUTING)")
file(GLOB_RECURSE pages "${share}/doc/broch/*.md" "${share}/broch/samples/*.md")
foreach(page IN LISTS pages)
  file(READ "${page}" old)
  string(REGEX REPLACE "${up}(sdk|host/lib)/include/" "](\\1../../../include/" text "${old}")
  string(REGEX REPLACE "${up}samples/" "](\\1../../broch/samples/" text "${text}")
  string(REGEX REPLACE "${up}docs/" "](\\1../../doc/broch/" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\((\\.\\./)+${elsewhere}[^)]*\\)" "\\1" text "${text}")
  if(NOT text STREQUAL old)
    file(WRITE "${page}" "${text}")
  endif()
endforeach()
