/* move.c - mov between registers, packed and unpacked, of constants and of special registers. Bits
 * of NaN survive. */
#include "lane.h"

LANE_FUNCTION(same, a.u64)
LANE_FUNCTION(halves_swapped, a.u32 >> 16 | (uint64_t)a.u16 << 16)
LANE_FUNCTION(words_swapped, a.u64 >> 32 | (uint64_t)a.u32 << 32)
LANE_FUNCTION(constant, a.u16 ^ 0x1234)
LANE_FUNCTION(place, a.u32 * 0)
LANE_FUNCTION(bytes, (uint64_t)a.u16 << 48 | a.u64 >> 16)

static const lane_row rows[] = {
    {"mov.b16", "h=h", want_constant, NULL,
     "mov.b16 %h10, 0x1234; xor.b16 %h11, $a, %h10; mov.b16 $d, %h11;"},
    {"mov.u16", "h=h", want_constant, NULL,
     "mov.u16 %h10, 0x1234; xor.b16 %h11, $a, %h10; mov.u16 $d, %h11;"},
    {"mov.b32", "w=w", want_halves_swapped, NULL,
     "mov.b32 {%h10, %h11}, $a; mov.b32 $d, {%h11, %h10};"},
    {"mov.u32", "w=w", want_place, NULL,
     "mov.u32 %r20, %ctaid.x; mov.u32 %r21, %ntid.x; mad.lo.u32 %r20, %r20, %r21, %tid.x; "
     "mov.u32 %r22, %t; sub.u32 $d, %r20, %r22;"},
    {"mov.s32", "w=w", want_same, NULL,
     "mov.s32 %r20, -7; add.s32 %r21, $a, 7; mov.s32 $d, %r21; add.s32 $d, $d, %r20;"},
    {"mov.b64", "l=l", want_words_swapped, NULL,
     "mov.b64 {%r20, %r21}, $a; mov.b64 $d, {%r21, %r20};"},
    {"mov.u64", "l=l", want_same, NULL,
     "mov.u64 %q20, 0x123456789abcdef0; xor.b64 %q21, $a, %q20; xor.b64 %q22, %q21, %q20; mov.u64 "
     "$d, %q22;"},
    {"mov.s64", "l=l", want_bytes, NULL,
     "mov.b64 {%h10, %h11, %h12, %h13}, $a; mov.b64 %q20, {%h11, %h12, %h13, %h10}; mov.s64 $d, "
     "%q20;"},
    {"mov.f32", "F=F", want_same, NULL, "mov.f32 %f20, $a; mov.f32 $d, %f20;"},
    {"mov.f64", "D=D", want_same, NULL, "mov.f64 %d10, $a; mov.f64 $d, %d10;"},
    {"mov.v2.u32", "w=w", want_halves_swapped, NULL,
     "{ .reg .v2 .u32 %v; shr.u32 %r20, $a, 16; shl.b32 %r21, $a, 16; mov.v2.u32 %v, {%r20, "
     "%r21}; mov.v2.u32 {%r21, %r20}, %v; or.b32 %r22, %v.y, %r21; or.b32 $d, %r20, %r22; }"},
    {"mov.v2.b16", "w=w", want_halves_swapped, NULL,
     "mov.b32 {%h10, %h11}, $a; mov.v2.b16 {%h10, %h11}, {%h11, %h10}; mov.b32 $d, {%h10, %h11};"},
    {"mov.v4.u16", "l=l", want_bytes, NULL,
     "{ .reg .v4 .u16 %v; mov.b64 {%h10, %h11, %h12, %h13}, $a; mov.v4.u16 %v, {%h11, %h12, %h13, "
     "%h10}; mov.b64 $d, {%v.x, %v.g, %v.z, %v.w}; }"},
    {"mov.v8.u16", "l=l", want_same, NULL,
     "mov.b64 {%h10, %h11, %h12, %h13}, $a; mov.v8.u16 {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}, "
     "{%h13, %h12, %h11, %h10, %h10, %h11, %h12, %h13}; sub.u16 %h1, %h1, %h8; sub.u16 %h2, %h2, "
     "%h7; add.u16 %h5, %h5, %h1; add.u16 %h6, %h6, %h2; mov.b64 $d, {%h5, %h6, %h7, %h8};"},
    {"mov.pred", "p=p", want_same, NULL, "mov.pred %p5, $a; mov.pred $d, %p5;"},
};

LANE_FAMILY(form_move, "moves");
