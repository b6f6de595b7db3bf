# cmake -DSOURCE=DIR -DBUILD=DIR -DGENERATOR=NAME -DCOMPILER=PATH -DLEVEL=LEVEL -DPROFILE=DIR -P train.cmake: builds an
# instrumented program and runs it, so that the real build knows which way branches go and what is worth inlining. Whatever
# fails is said and leaves a build without a profile, or with part of one.
function(step)
  execute_process(COMMAND ${ARGN} OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message("No profile: ${ARGN}\n${said}")
  endif()
  set(status ${status} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${PROFILE})
step(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=${COMPILER}
  -DWW_X86_64_LEVEL=${LEVEL} -DWW_TESTS=OFF -DWW_TRAINED=${PROFILE})
if(status EQUAL 0)
  step(${CMAKE_COMMAND} --build ${BUILD} --target warpwatt)
endif()
# Machines of pooled collectors and of partitions; kernels that compute, wait for memory, and branch.
foreach(gpu gtx480 gtx1080ti qv100 a100)
  foreach(workload matrixmul hotspot vectoradd spmv bfs srad_v1)
    if(status EQUAL 0)
      step(${BUILD}/cli/warpwatt run --gpu ${gpu} --workload ${workload}:small --threads 1 --quiet)
    endif()
  endforeach()
endforeach()
