# ww_embed_ptx(LIST UNIT...): UNIT.ptx of the caller's folder as C, each file appended to the list of that name.
function(ww_embed_ptx list_name)
  set(files ${${list_name}})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(script ${PROJECT_SOURCE_DIR}/workloads/operators/embed.cmake)
  foreach(name ${ARGN})
    set(ptx ${CMAKE_CURRENT_SOURCE_DIR}/${name}.ptx)
    set(embedded ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx.c)
    add_custom_command(OUTPUT ${embedded}
      COMMAND ${CMAKE_COMMAND} -DPTX=${ptx} -DNAME=${name} -DOUT=${embedded} -P ${script}
      DEPENDS ${ptx} ${script} COMMENT "Embedding ${folder}/${name}.ptx" VERBATIM)
    list(APPEND files ${embedded})
  endforeach()
  set(${list_name} ${files} PARENT_SCOPE)
endfunction()

# ww_regenerate_ptx(TARGET UNIT...): optional, where nvcc is found: makes the committed PTX of those anew.
function(ww_regenerate_ptx target)
  if(NOT WW_NVCC)
    return()
  endif()
  set(commands)
  foreach(name ${ARGN})
    set(capability 80)
    if(name MATCHES e4m3)
      set(capability 89)
    elseif(name MATCHES wgmma)
      set(capability 90a)
    endif()
    list(APPEND commands COMMAND ${WW_NVCC} -std=c++17 -ptx -O3 -arch=compute_${capability} -o ${name}.ptx ${name}.cu)
  endforeach()
  add_custom_target(${target} ${commands}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "Compiling CUDA sources to PTX" VERBATIM)
endfunction()
