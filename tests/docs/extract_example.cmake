# Writes OUTPUT: the first block of C++ in the Markdown file INPUT. Run as a script:
#   cmake -DINPUT=README.md -DOUTPUT=example.cc -P extract_example.cmake
file(READ ${INPUT} text)
string(FIND "${text}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${INPUT} has no block of C++")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "```" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(WRITE ${OUTPUT} "${text}")
