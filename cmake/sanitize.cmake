# trill_sanitize(<target>): compiles a target under the address and the undefined-behaviour sanitizer, with assertions. The
# check of vptr opens a pipe and misfires where a test takes away the file descriptors. Eigen would align memory by itself
# under the address sanitizer, and objects compiled without it, which are linked with these, could not free it.
function(trill_sanitize target)
  target_compile_options(${target} PRIVATE -O1 -g1 -UNDEBUG -fsanitize=address,undefined -fno-sanitize=vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  target_compile_definitions(${target} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
  target_link_options(${target} PRIVATE -fsanitize=address,undefined)
endfunction()
