# broch_add_plugin(): builds a plugin library the way a host expects it.
#
#   find_package(BrochSdk REQUIRED)
#   broch_add_plugin(stop_on_plateau stop_on_plateau.c)        # makes stop_on_plateau.so
#
# The library exports broch_entry_v1 and nothing else: hidden visibility and the version script keep
# every other symbol local, so that two plugins with equal names inside do not meet. An undefined
# symbol is an error of the linker, not of the user's first run. Add libraries, include folders and
# definitions with target_link_libraries() and its relatives, as for any target.
#
# The file lands in the caller's binary folder. BUILTIN is for Broch's own tree: the file lands
# among the built-in plugins and is installed with them.
function(broch_add_plugin name)
  cmake_parse_arguments(PLUGIN "BUILTIN" "" "" ${ARGN})
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/broch_plugin.map)
  add_library(${name} MODULE ${PLUGIN_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE broch::sdk)
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${map})
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${map} -Wl,--no-undefined -Wl,-z,now)
  if(PLUGIN_BUILTIN)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${BROCH_PLUGIN_DIR})
    install(TARGETS ${name} LIBRARY DESTINATION lib/broch/plugins)
  endif()
endfunction()
