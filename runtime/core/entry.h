/* entry.h - an exported name that is nothing but a jump into libcuda.so.1: arguments, result and
 * stack are those of the call. */
#ifndef WW_RUNTIME_CORE_ENTRY_H
#define WW_RUNTIME_CORE_ENTRY_H

#if defined(__x86_64__)
#define WW_JUMP(target) "jmp *" #target "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define WW_JUMP(target) "b " #target "\n"
#else
#error "libcudart needs the jump instruction of this machine"
#endif

#define WW_ENTRY(name, target)                                                                     \
    __asm__(".text\n.balign 8\n.globl " #name "\n.type " #name ", %function\n" #name               \
            ":\n" WW_JUMP(target) ".size " #name ", . - " #name "\n");

#endif
