# cmake -DPTX=FILE -DOUT=FILE -P embed.cmake: turns a kernels.ptx into a C source, a byte array, because C promises no string
# literals longer than 4095 characters.
file(READ ${PTX} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n"
       bytes "${bytes}")
file(WRITE ${OUT} "/* Made from kernels.ptx by runtime/math/embed.cmake. */
#include \"runtime/math/kernels.h\"

const char ww_math_kernels[] = {
${bytes}0x00};
")
