# cmake -DPTX=FILE -DNAME=NAME -DOUT=FILE -P embed.cmake: turns a unit's PTX into a C source that defines ww__operator_NAME.
file(READ ${PTX} hex HEX)
file(SIZE ${PTX} length)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n"
       bytes "${bytes}")
file(WRITE ${OUT}.new "/* Made from workloads/operators/${NAME}.ptx by embed.cmake. */
#include \"workloads/operators/operators.h\"

extern const ww_operator_unit ww__operator_${NAME};

static const char text[] = {
${bytes}0x00};

const ww_operator_unit ww__operator_${NAME} = {\"${NAME}\", \"workloads/operators/${NAME}.ptx\", text, ${length}};
")
file(RENAME ${OUT}.new ${OUT})
