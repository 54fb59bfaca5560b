# trill_embed_text(<input> <symbol> <output_cpp>): at build time, writes a source file that defines
# `std::string_view trill::<symbol>()`, giving the bytes of a file. The bytes stand in string literals short enough for
# every compiler and are joined at the first call.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} hex HEX)
  string(LENGTH "${hex}" digits)
  if(digits EQUAL 0)
    message(FATAL_ERROR "${INPUT} is empty")
  endif()
  set(chunks "")
  set(at 0)
  while(at LESS digits)
    string(SUBSTRING "${hex}" ${at} 7600 part)
    string(REGEX REPLACE "(..)" "\\\\x\\1" part "${part}")
    string(APPEND chunks "    \"${part}\"sv,\n")
    math(EXPR at "${at} + 7600")
  endwhile()
  file(WRITE ${OUTPUT} "// Written by the build.
#include <string>
#include <string_view>

namespace trill {
std::string_view ${SYMBOL}();

std::string_view ${SYMBOL}() {
  using namespace std::string_view_literals;
  static constexpr std::string_view chunks[] = {
${chunks}  };
  static const std::string whole = [] {
    std::string text;
    for (const std::string_view chunk : chunks) text += chunk;
    return text;
  }();
  return whole;
}
}  // namespace trill
")
  return()
endif()

set(TRILL_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(trill_embed_text input symbol output_cpp)
  add_custom_command(
    OUTPUT ${output_cpp}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DSYMBOL=${symbol} -DOUTPUT=${output_cpp} -P ${TRILL_EMBED_SCRIPT}
    DEPENDS ${input} ${TRILL_EMBED_SCRIPT}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
endfunction()
