# SPDX-License-Identifier: MIT
# Writes the page with its parts as the data of a C++ source: cmake -DFOLDER=... -DOUTPUT=... -P embed.cmake
# tools/timeline/timeline.py puts the same parts together.

cmake_minimum_required(VERSION 3.16)

file(READ ${FOLDER}/timeline.html page)
string(REGEX MATCHALL "@[a-z]+\\.[a-z]+@\n" markers "${page}")
foreach(marker ${markers})
    string(REGEX MATCH "[a-z]+\\.[a-z]+" name "${marker}")
    file(READ ${FOLDER}/${name} part)
    string(REPLACE "${marker}" "${part}" page "${page}")
endforeach()
if("${page}" MATCHES "[^\n -~]")
    message(FATAL_ERROR "The timeline's page has characters that are not ASCII: a literal might be cut in the middle of one")
endif()

# A literal of some compilers ends after 16 kB, and adjacent ones are one literal of at most 64 kB.
function(literal text result)
    string(LENGTH "${text}" length)
    if(length GREATER 65000)
        message(FATAL_ERROR "A half of the timeline's page is too long for a literal")
    endif()
    set(pieces "")
    set(at 0)
    while(at LESS length)
        string(SUBSTRING "${text}" ${at} 12000 piece)
        string(APPEND pieces "    R\"page(${piece})page\"\n")
        math(EXPR at "${at} + 12000")
    endwhile()
    set(${result} "${pieces}" PARENT_SCOPE)
endfunction()

string(FIND "${page}" "@trace@" place)
string(SUBSTRING "${page}" 0 ${place} before)
math(EXPR behind "${place} + 7")
string(SUBSTRING "${page}" ${behind} -1 after)
literal("${before}" before)
literal("${after}" after)
file(WRITE ${OUTPUT} "// Made by src/diagnostics/timeline/embed.cmake.
#include \"diagnostics/timeline_page.hpp\"

namespace futon::diagnostics::detail {

const std::string_view timeline_before =
${before};
const std::string_view timeline_after =
${after};

}  // namespace futon::diagnostics::detail
")
