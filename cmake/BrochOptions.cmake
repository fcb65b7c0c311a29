# Compiler settings shared by every room, the output layout, and broch_room().
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(BROCH_LIB_DIR ${CMAKE_BINARY_DIR}/lib/broch)            # parts opened on demand
set(BROCH_PLUGIN_DIR ${CMAKE_BINARY_DIR}/lib/broch/plugins)  # built-in plugins

# The SDK must not see host code, and a recorded number must not depend on contraction.
add_compile_options(-Wall -Wextra -Wpedantic -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 is wrong about std::string when it optimizes: https://gcc.gnu.org/PR105329 and PR105651.
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(BROCH_WERROR)
  add_compile_options(-Werror)
endif()
add_link_options(-Wl,-z,now)

find_program(BROCH_CCACHE ccache)
if(BROCH_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${BROCH_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${BROCH_CCACHE})
endif()
find_package(Threads REQUIRED)
set(Boost_USE_STATIC_LIBS ON)  # an installed prefix must not need this machine's packages

# Compiles up to EACH (8) sources of a target at once. The headers that they share, and LibTorch's
# most of all, are what most of the time goes to. The preset release does so; the others do not, so
# that no source relies on what another one includes. Names in anonymous namespaces must differ, so
# ALONE lists the sources that have a name in common with others. EACH makes the last unit about as
# large as the others, so that no core waits. Not for the static libraries that several plugins
# link: each plugin would contain all of them; and not for the rooms that each step goes through
# (abi, runtime, tower, train): GCC inlines less in large units, which takes 5 % more instructions.
#   broch_unity(broch_torch ALONE src/update_kernels.cpp)
function(broch_unity target)
  cmake_parse_arguments(UNITY "" EACH ALONE ${ARGN})
  if(BROCH_UNITY)
    if(NOT UNITY_EACH)
      set(UNITY_EACH 8)
    endif()
    set_source_files_properties(${UNITY_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${UNITY_EACH})
    # GCC takes the sources for headers, which should have no anonymous namespaces.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# One room of the host: a static library with one public include folder. A room reaches the public
# headers of the rooms it links and nothing else, so that an upward #include does not compile.
#   broch_room(train SOURCES src/loop.cpp … LINKS broch::store …)
# PRECOMPILED torch: with LibTorch's headers compiled once, not only the standard library's.
function(broch_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;PRIVATE_LINKS;PRECOMPILED" ${ARGN})
  add_library(broch_${name} STATIC ${ROOM_SOURCES})
  add_library(broch::${name} ALIAS broch_${name})
  target_include_directories(broch_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include
                                           PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(broch_${name} PUBLIC ${ROOM_LINKS} PRIVATE ${ROOM_PRIVATE_LINKS}
    Threads::Threads)
  if(NOT ROOM_PRECOMPILED)
    set(ROOM_PRECOMPILED standard)
  endif()
  target_precompile_headers(broch_${name} REUSE_FROM broch_${ROOM_PRECOMPILED}_pch)
endfunction()

# A shared object that the program opens on demand: its place in the build tree and in the prefix.
# It looks for LibTorch beside itself, where the build tree has a link to it, and otherwise relies
# on the program having opened LibTorch before it. The search path of the build tree is that of the
# prefix, since one that CMake would change on installation ends with an empty entry: that is the
# current folder.
#   add_library(broch_torch MODULE …)  broch_opened_on_demand(broch_torch)
function(broch_opened_on_demand target)
  set_target_properties(${target} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${BROCH_LIB_DIR}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/torch/lib")
  install(TARGETS ${target} LIBRARY DESTINATION lib/broch)
endfunction()
