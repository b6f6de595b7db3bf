# cmake -DXMLLINT=PROGRAM -DSCHEMAS=DIR -DFILES="SCHEMA:FILE;…" -DOUT=FILE -P shipped.cmake: turns the configuration files that
# satisfy their schemas into a C source that holds their bytes (base/shipped.h). One that does not is left out and said: it is
# validated when it is read, with a better message.
set(arrays "")
set(rows "")
set(i 0)
foreach(pair IN LISTS FILES)
  string(REGEX REPLACE ":.*" "" schema ${pair})
  string(REGEX REPLACE "^[a-z]+:" "" path ${pair})
  execute_process(COMMAND ${XMLLINT} --nonet --noout --schema ${SCHEMAS}/${schema}.xsd ${path}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message("${said}${path} is not put into the program")
    continue()
  endif()
  file(READ ${path} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const unsigned char file_${i}[] = {\n${bytes}};\n")
  string(APPEND rows "    {file_${i}, sizeof file_${i}},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT} "/* Made from the shipped configuration files by cmake/shipped.cmake. */
#include \"base/shipped.h\"

${arrays}
const ww_shipped_file ww__shipped_files[] = {
${rows}    {0, 0}};
")
