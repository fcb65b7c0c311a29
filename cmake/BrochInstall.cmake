# cmake --install: a relocatable prefix. Everything is found from the program's own place:
#   bin/broch  lib/broch/*.so (runtime)  lib/broch/plugins/*.so  share/broch/rust (the crate)
#   share/broch/samples  share/licenses/broch
# The rest of the rules: sdk/CMakeLists.txt, broch_add_plugin(), broch_opened_on_demand().
option(BROCH_BUNDLE_TORCH "Install LibTorch's run-time files too, with their licences" OFF)

if(TARGET broch)
  install(TARGETS broch RUNTIME DESTINATION bin)
endif()

install(FILES LICENSE DESTINATION share/licenses/broch)

# Licences of what is compiled into our files, as Debian records them.
set(third_party
  libboost1.74-dev libcli11-dev libfmt-dev libhwy-dev libspdlog-dev libxxhash-dev libzstd-dev
  nlohmann-json3-dev rapidjson-dev zlib1g-dev)
foreach(package IN LISTS third_party)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright
      DESTINATION share/licenses/broch RENAME ${package}.txt)
  endif()
endforeach()

if(BROCH_TORCH AND BROCH_BUNDLE_TORCH)
  cmake_path(GET BrochTorch_ROOT PARENT_PATH wheel)
  install(FILES ${BrochTorch_ROOT}/lib/libtorch_cpu.so ${BrochTorch_ROOT}/lib/libc10.so
    ${BrochTorch_ROOT}/lib/libgomp.so.1 DESTINATION lib/broch/torch/lib)
  install(FILES ${wheel}/nvidia/cu13/lib/libcudart.so.13 ${wheel}/nvidia/cu13/lib/libcupti.so.13
    DESTINATION lib/broch/nvidia/cu13/lib)
  file(GLOB dist_infos ${wheel}/*.dist-info)
  foreach(dist_info IN LISTS dist_infos)
    cmake_path(GET dist_info STEM LAST_ONLY package)
    install(DIRECTORY ${dist_info}/licenses/ DESTINATION share/licenses/broch/${package})
  endforeach()
endif()
