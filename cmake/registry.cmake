# Writes the one source file that calls register_<kind>_<name>(registry) for every name of a list. An explicit list, so
# that nothing is lost when the library is linked statically.
function(trill_write_registry kind header registry names out)
  set(declarations "")
  set(calls "")
  foreach(name IN LISTS names)
    string(APPEND declarations "void register_${kind}_${name}(${registry}&);\n")
    string(APPEND calls "    register_${kind}_${name}(r);\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"// Written by the build from the list of ${kind}s.
#include \"${header}\"

namespace trill {
@declarations@
const ${registry}& ${registry}::all() {
  static const ${registry} registry = [] {
    ${registry} r;
@calls@    return r;
  }();
  return registry;
}
}  // namespace trill
")
endfunction()
