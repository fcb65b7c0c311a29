# broch_add_plugin(): builds a plugin library the way a host expects it.
#
#   find_package(BrochSdk REQUIRED)
#   broch_add_plugin(stop_on_plateau stop_on_plateau.c)        # makes stop_on_plateau.so
#   broch_add_plugin(net net.cpp TORCH)                        # may include broch/cpp/torch.hpp
#
# The library exports broch_entry_v1 and nothing else: hidden visibility and the version script keep
# every other symbol local, so that two plugins with equal names inside do not meet. An undefined
# symbol is an error of the linker, not of the user's first run. Add libraries, include folders and
# definitions with target_link_libraries() and its relatives, as for any target.
#
# TORCH links the LibTorch that FindBrochTorch.cmake finds (BROCH_TORCH_DIR names it) and ties the
# library to this one build of it: broch/ext/torch_cxx.h says how. There is no RPATH, since the host
# has loaded LibTorch before.
#
# The file lands in the caller's binary folder, with generators of several configurations, too.
# BUILTIN is for Broch's own tree: the file lands among the built-in plugins and is installed with
# them.
function(broch_add_plugin name)
  cmake_parse_arguments(PLUGIN "BUILTIN;TORCH" "" "" ${ARGN})
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/broch_plugin.map)
  add_library(${name} MODULE ${PLUGIN_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE broch::sdk)
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${map})
  # An expression, because such a generator adds the configuration to any other path.
  get_property(is_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multi AND NOT CMAKE_LIBRARY_OUTPUT_DIRECTORY)
    set_target_properties(${name} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY "$<1:${CMAKE_CURRENT_BINARY_DIR}>")
  endif()
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${map} -Wl,--no-undefined -Wl,-z,now)
  if(PLUGIN_TORCH)
    broch_link_torch(${name})
  endif()
  if(PLUGIN_BUILTIN)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${BROCH_PLUGIN_DIR})
    install(TARGETS ${name} LIBRARY DESTINATION lib/broch/plugins)
  endif()
endfunction()

# What TORCH adds to a plugin. The build-id tells builds of one version apart.
function(broch_link_torch name)
  if(NOT TARGET broch::torch_cpu)
    list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
    find_package(BrochTorch REQUIRED)
  endif()
  get_target_property(library broch::torch_cpu IMPORTED_LOCATION)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${CMAKE_READELF} -n ${library}
    OUTPUT_VARIABLE notes ERROR_QUIET)
  if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
    message(FATAL_ERROR "${library}: found no GNU build-id, expected one, by which a host knows "
      "the LibTorch that ${name} was built against. Link LibTorch with -Wl,--build-id, or take "
      "the PyPI wheel")
  endif()
  target_compile_definitions(${name} PRIVATE BROCH_TORCH_BUILD="${CMAKE_MATCH_1}")
  target_link_libraries(${name} PRIVATE broch::torch_cpu)
  set_target_properties(${name} PROPERTIES SKIP_BUILD_RPATH ON INSTALL_RPATH "")
endfunction()
