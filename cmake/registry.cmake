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

# Writes the one source file of the catalogue: register_method_<name>(catalogue) for every method file, and
# <name>_entry() for every formulation.
function(trill_write_catalogue methods formulations out)
  set(declarations "")
  set(calls "")
  foreach(name IN LISTS methods)
    string(APPEND declarations "void register_method_${name}(Catalogue&);\n")
    string(APPEND calls "    register_method_${name}(c);\n")
  endforeach()
  foreach(name IN LISTS formulations)
    string(APPEND declarations "ReformulationEntry ${name}_entry();\n")
    string(APPEND calls "    c.add(${name}_entry());\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"// Written by the build from the lists of methods and formulations.
#include \"trill/method/registry.hpp\"

namespace trill {
@declarations@
const Catalogue& Catalogue::all() {
  static const Catalogue catalogue = [] {
    Catalogue c;
@calls@    return c;
  }();
  return catalogue;
}
}  // namespace trill
")
endfunction()

# Embeds the text models and writes the source file that registers them: register_model_text_models(registry). The names
# of the written files go into the variable `out`. A model is also found by the last part of its name, so that no two
# models, in text or C++, may share it.
function(trill_embed_models names others out)
  set(declarations "")
  set(calls "")
  set(files text_models.cpp)
  foreach(name IN LISTS names)
    get_filename_component(last ${name} NAME)
    if(last IN_LIST others)
      message(FATAL_ERROR "models/${name}.toml: there is another model called ${last}")
    endif()
    list(APPEND others ${last})
    string(REPLACE "/" "_" symbol ${name})
    trill_embed_text(${PROJECT_SOURCE_DIR}/models/${name}.toml text_of_${symbol}
                     ${CMAKE_CURRENT_BINARY_DIR}/text_of_${symbol}.cpp)
    list(APPEND files text_of_${symbol}.cpp)
    string(APPEND declarations "std::string_view text_of_${symbol}();\n")
    string(APPEND calls "  add_text_model(r, \"${name}\", text_of_${symbol}());\n")
  endforeach()
  file(CONFIGURE OUTPUT text_models.cpp @ONLY CONTENT
"// Written by the build from the list of text models.
#include \"trill/model/text_problem.hpp\"

namespace trill {
@declarations@
void register_model_text_models(ModelRegistry& r) {
@calls@}
}  // namespace trill
")
  set(${out} ${files} PARENT_SCOPE)
endfunction()
