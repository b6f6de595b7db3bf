# cmake -DPTX=FILE -DNAME=NAME -DID=IDENTIFIER -DOUT=FILE -P embed.cmake: turns a PTX file into a C source that
# defines ww__ptx_IDENTIFIER, so that the program needs no file at run time. A byte array, because C promises
# no string literals longer than 4095 characters.
file(READ ${PTX} hex HEX)
file(SIZE ${PTX} length)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n"
       bytes "${bytes}")
file(WRITE ${OUT}.new "/* Made from workloads/${NAME}/${NAME}.ptx by workloads/embed.cmake. */
#include \"workloads/support.h\"

static const char text[] = {
${bytes}0x00};

const ww__ptx ww__ptx_${ID} = {\"workloads/${NAME}/${NAME}.ptx\", text, ${length}};
")
file(RENAME ${OUT}.new ${OUT})
