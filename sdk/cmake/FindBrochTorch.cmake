# LibTorch out of its wheel, as imported targets:
#   broch::c10  broch::torch_cpu                 always
#   broch::c10_cuda  broch::torch_cuda           where BROCH_CUDA is on and the toolkit is found
#   broch::nccl                                  where its header is found, too
#
# Its own TorchConfig.cmake is not used: with the CUDA wheel it refuses to configure on a machine
# without the toolkit, and with the toolkit it changes the flags of every target.
#
# Looked for in BROCH_TORCH_DIR (CMake variable, then environment: the folder torch, or the one that
# contains it), then where tools/setup unpacks it.

function(broch_torch_candidates result)
  set(cache $ENV{BROCH_CACHE})
  if(NOT cache AND DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(cache $ENV{XDG_CACHE_HOME}/broch)
  elseif(NOT cache)
    set(cache $ENV{HOME}/.cache/broch)
  endif()
  set(folder ${cache}/torch-2.11.0)
  if(BROCH_TORCH_DIR)
    set(folder ${BROCH_TORCH_DIR})
  elseif(NOT "$ENV{BROCH_TORCH_DIR}" STREQUAL "")
    set(folder $ENV{BROCH_TORCH_DIR})
  endif()
  set(${result} ${folder} ${folder}/torch PARENT_SCOPE)
endfunction()

# -DBROCH_TORCH_DIR=env/torch becomes a whole path; the linker is started in another folder.
if(DEFINED CACHE{BROCH_TORCH_DIR})
  set(BROCH_TORCH_DIR "" CACHE PATH "LibTorch: the folder torch, or the one that contains it")
endif()
broch_torch_candidates(candidates)
unset(BrochTorch_ROOT)
foreach(folder IN LISTS candidates)
  if(EXISTS ${folder}/lib/libtorch_cpu.so)
    set(BrochTorch_ROOT ${folder})
  endif()
endforeach()
if(BrochTorch_ROOT AND EXISTS ${BrochTorch_ROOT}/include/torch/headeronly/version.h)
  file(STRINGS ${BrochTorch_ROOT}/include/torch/headeronly/version.h line
    REGEX "^ +\"[0-9.]+[^\"]*\"$")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" BrochTorch_VERSION "${line}")
endif()

# BROCH_TORCH_ANY: to see whether the sources fit another version (tests/newest_torch).
if(BrochTorch_ROOT AND NOT BROCH_TORCH_ANY AND NOT BrochTorch_VERSION MATCHES "^2\\.11\\.")
  message(FATAL_ERROR
    "LibTorch in ${BrochTorch_ROOT}: found version \"${BrochTorch_VERSION}\", expected 2.11.x, the "
    "one that Broch is tested with. Run Broch's tools/setup and configure again, or name another "
    "folder with -DBROCH_TORCH_DIR=…")
endif()
list(JOIN candidates " and " searched)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BrochTorch REQUIRED_VARS BrochTorch_ROOT
  VERSION_VAR BrochTorch_VERSION
  REASON_FAILURE_MESSAGE "no lib/libtorch_cpu.so in ${searched}. Run Broch's tools/setup, or name \
the folder with -DBROCH_TORCH_DIR=…, or build Broch without LibTorch: -DBROCH_TORCH=OFF")

# broch_torch_library(torch_cpu LINKS broch::c10)
function(broch_torch_library name)
  cmake_parse_arguments(LIBRARY "" "" "LINKS" ${ARGN})
  add_library(broch::${name} SHARED IMPORTED)
  set_target_properties(broch::${name} PROPERTIES
    IMPORTED_LOCATION ${BrochTorch_ROOT}/lib/lib${name}.so
    INTERFACE_INCLUDE_DIRECTORIES ${BrochTorch_ROOT}/include
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${BrochTorch_ROOT}/include)
  target_link_libraries(broch::${name} INTERFACE ${LIBRARY_LINKS})
endfunction()

if(BrochTorch_FOUND AND NOT TARGET broch::torch_cpu)
  set(api ${BrochTorch_ROOT}/include/torch/csrc/api/include)
  broch_torch_library(c10)
  broch_torch_library(torch_cpu LINKS broch::c10)
  target_include_directories(broch::torch_cpu SYSTEM INTERFACE ${api})
  target_compile_definitions(broch::torch_cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
  target_link_options(broch::torch_cpu INTERFACE -Wl,--no-as-needed)
endif()

# The CUDA half. Only the toolkit's headers and runtime are needed to build it; the libraries that
# libtorch_cuda.so wants besides are looked for when a GPU is used.
if(BrochTorch_FOUND AND BROCH_CUDA AND EXISTS ${BrochTorch_ROOT}/lib/libtorch_cuda.so
   AND NOT TARGET broch::torch_cuda)
  find_package(CUDAToolkit 13 QUIET)
  if(CUDAToolkit_FOUND)
    broch_torch_library(c10_cuda LINKS broch::c10 CUDA::cudart)
    broch_torch_library(torch_cuda LINKS broch::torch_cpu broch::c10_cuda)
    target_link_options(broch::torch_cuda INTERFACE
      -Wl,--no-as-needed -Wl,--unresolved-symbols=ignore-in-shared-libs)
    # The functions are LibTorch's, which brings the NCCL that it was built with.
    find_path(BROCH_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
      DOC "folder of nccl.h, 2.28")
    if(BROCH_NCCL_INCLUDE)
      add_library(broch::nccl INTERFACE IMPORTED)
      target_include_directories(broch::nccl SYSTEM INTERFACE ${BROCH_NCCL_INCLUDE})
      target_compile_definitions(broch::nccl INTERFACE USE_C10D_NCCL)
      target_link_libraries(broch::nccl INTERFACE broch::torch_cuda)
    endif()
  endif()
endif()
