#!/usr/bin/env python3
"""Makes opcodes.json.gz: programs of one instruction each, and what JAX says they cost. Needs JAX:

    $(tools/venv-jax) tests/hlo/make_opcodes.py
"""

import base64
import gzip
import json
import os
import re

import jax
import jaxlib._hlo
from jaxlib import _jax

CLIENT = jax.devices()[0].client
FOUND = []


def show(name, text):
    """Adds a program; those that JAX cannot parse are left out."""
    if 'HloModule' not in text:
        text = 'HloModule m\n' + text
    try:
        module = jaxlib._hlo.hlo_module_from_text(text)
        cost = _jax.hlo_module_cost_analysis(CLIENT, module)
    except Exception as error:
        print(f'{name}: left out: {str(error)[:100]}')
        return
    message = module.as_serialized_hlo_module_proto()
    FOUND.append({'name': name, 'text': text, 'message': base64.b64encode(message).decode(),
                  'jax': [cost.get(key, 0) for key in ('flops', 'transcendentals', 'bytes accessed')]})


def one(name, body, params='a = f32[8,16] parameter(0)', pre=''):
    show(name, f'{pre}\nENTRY e {{\n {params}\n ROOT r = {body}\n}}')


un='abs ceil floor negate sign round-nearest-afz round-nearest-even not copy exponential exponential-minus-one log log-plus-one logistic tanh tan sine cosine sqrt rsqrt cbrt erf real imag clz popcnt bitcast-convert reverse copy-start domain optimization-barrier'.split()
for u in un:
    p='a = f32[8,16] parameter(0)'; s='f32[8,16]'
    if u in('not','clz','popcnt'): p='a = s32[8,16] parameter(0)'; s='s32[8,16]'
    if u in('real','imag'): p='a = c64[8,16] parameter(0)'
    x=u+'(a)'
    if u=='reverse': x='reverse(a), dimensions={0}'
    if u=='optimization-barrier': x='opt-barrier(a)'
    if u=='copy-start': s='(f32[8,16], f32[8,16], u32[])'
    one(u,f'{s} {x}',p)
one('acos','f32[8,16] acos(a)'); one('asin','f32[8,16] asin(a)');one('sinh','f32[8,16] sinh(a)');one('atanh','f32[8,16] atanh(a)')
one('is-finite','pred[8,16] is-finite(a)')
for b in 'add subtract multiply divide remainder maximum minimum power atan2 complex'.split():
    one(b,f"{'c64' if b=='complex' else 'f32'}[8,16] {b}(a,b)",'a = f32[8,16] parameter(0)\n b = f32[8,16] parameter(1)')
one('add same operand',f"f32[8,16] add(a,a)")
one('add s32',f"s32[8,16] add(a,b)",'a = s32[8,16] parameter(0)\n b = s32[8,16] parameter(1)')
one('multiply bf16',f"bf16[8,16] multiply(a,b)",'a = bf16[8,16] parameter(0)\n b = bf16[8,16] parameter(1)')
one('multiply c64',f"c64[8,16] multiply(a,b)",'a = c64[8,16] parameter(0)\n b = c64[8,16] parameter(1)')
one('tanh c64',f"c64[8,16] tanh(a)",'a = c64[8,16] parameter(0)')
one('and pred',f"pred[8,16] and(a,b)",'a = pred[8,16] parameter(0)\n b = pred[8,16] parameter(1)')
one('xor','u32[8,16] xor(a,b)','a = u32[8,16] parameter(0)\n b = u32[8,16] parameter(1)')
one('shift','u32[8,16] shift-left(a,b)','a = u32[8,16] parameter(0)\n b = u32[8,16] parameter(1)')
one('compare','pred[8,16] compare(a,b), direction=LT','a = f32[8,16] parameter(0)\n b = f32[8,16] parameter(1)')
one('select','f32[8,16] select(p,a,b)','p = pred[8,16] parameter(0)\n a = f32[8,16] parameter(1)\n b = f32[8,16] parameter(2)')
one('clamp','f32[8,16] clamp(l,a,l)','a = f32[8,16] parameter(0)\n l = f32[8,16] parameter(1)')
one('convert f32->bf16','bf16[8,16] convert(a)'); one('convert f32->s32','s32[8,16] convert(a)')
one('reduce-precision','f32[8,16] reduce-precision(a), exponent_bits=5, mantissa_bits=10')
one('stochastic-convert','s8[8,16] stochastic-convert(a,b)','a = f32[8,16] parameter(0)\n b = u32[8,16] parameter(1)')
one('map','f32[8,16] map(a), dimensions={0,1}, to_apply=m',pre='m {\n p = f32[] parameter(0)\n t = f32[] tanh(p)\n ROOT r = f32[] add(t,p)\n}')
one('transpose','f32[16,8] transpose(a), dimensions={1,0}'); one('reshape','f32[128] reshape(a)'); one('bitcast','f32[128] bitcast(a)')
one('broadcast','f32[4,8,16] broadcast(a), dimensions={1,2}'); one('iota','s32[8,16] iota(), iota_dimension=0'); one('constant','f32[2] constant({1,2})')
one('slice','f32[4,4] slice(a), slice={[0:4],[0:4]}'); one('concatenate','f32[16,16] concatenate(a,a), dimensions={0}')
one('pad','f32[10,18] pad(a,z), padding=1_1x1_1','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)')
one('dynamic-slice','f32[2,16] dynamic-slice(a,i,i), dynamic_slice_sizes={2,16}','a = f32[8,16] parameter(0)\n i = s32[] parameter(1)')
one('dynamic-update-slice','f32[8,16] dynamic-update-slice(a,u,i,i)','a = f32[8,16] parameter(0)\n u = f32[2,16] parameter(1)\n i = s32[] parameter(2)')
one('gather','f32[5,16] gather(a,i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}','a = f32[8,16] parameter(0)\n i = s32[5,1] parameter(1)')
S='add {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x,y)\n}\nasg {\n x = f32[] parameter(0)\n ROOT y = f32[] parameter(1)\n}\nfancy {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n t = f32[] tanh(y)\n ROOT s = f32[] add(x,t)\n}'
for k in('add','asg','fancy'):
    one('scatter '+k,f'f32[8,16] scatter(a,i,u), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply={k}','a = f32[8,16] parameter(0)\n i = s32[5,1] parameter(1)\n u = f32[5,16] parameter(2)',S)
for k in('add','fancy'):
    one('reduce '+k,f'f32[8] reduce(a,z), dimensions={{1}}, to_apply={k}','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)',S)
    one('reduce-window '+k,f'f32[8,14] reduce-window(a,z), window={{size=1x3}}, to_apply={k}','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)',S)
one('reduce-window cumsum',f'f32[8,16] reduce-window(a,z), window={{size=1x16 pad=0_0x15_0}}, to_apply=add','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)',S)
one('reduce variadic','(f32[8],f32[8]) reduce(a,b,z,z), dimensions={1}, to_apply=v','a = f32[8,16] parameter(0)\n b = f32[8,16] parameter(1)\n z = f32[] parameter(2)','v {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n z = f32[] parameter(2)\n w = f32[] parameter(3)\n s = f32[] add(x,z)\n t = f32[] maximum(y,w)\n ROOT r = (f32[],f32[]) tuple(s,t)\n}')
one('select-and-scatter','f32[8,16] select-and-scatter(a,u,z), window={size=2x2 stride=2x2}, select=ge, scatter=add','a = f32[8,16] parameter(0)\n u = f32[4,8] parameter(1)\n z = f32[] parameter(2)',S+'\nge {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = pred[] compare(x,y), direction=GE\n}')
one('sort','f32[8,16] sort(a), dimensions={1}, to_apply=lt','a = f32[8,16] parameter(0)','lt {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = pred[] compare(x,y), direction=LT\n}')
one('sort kv','(f32[8,16],s32[8,16]) sort(a,b), dimensions={1}, to_apply=lt','a = f32[8,16] parameter(0)\n b = s32[8,16] parameter(1)','lt {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n p = s32[] parameter(2)\n q = s32[] parameter(3)\n ROOT s = pred[] compare(x,y), direction=LT\n}')
one('topk','(f32[8,4],s32[8,4]) topk(a), k=4, largest=true')
one('dot','f32[8,4] dot(a,b), lhs_contracting_dims={1}, rhs_contracting_dims={0}','a = f32[8,16] parameter(0)\n b = f32[16,4] parameter(1)')
one('dot batch','f32[2,8,4] dot(a,b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}','a = f32[2,8,16] parameter(0)\n b = f32[2,16,4] parameter(1)')
one('dot s8','s32[8,4] dot(a,b), lhs_contracting_dims={1}, rhs_contracting_dims={0}','a = s8[8,16] parameter(0)\n b = s8[16,4] parameter(1)')
one('dot c64','c64[8,4] dot(a,b), lhs_contracting_dims={1}, rhs_contracting_dims={0}','a = c64[8,16] parameter(0)\n b = c64[16,4] parameter(1)')
one('ragged-dot','f32[8,4] ragged-dot(a,b,g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}','a = f32[8,16] parameter(0)\n b = f32[3,16,4] parameter(1)\n g = s32[3] parameter(2)')
one('conv','f32[2,8,8,5] convolution(a,k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f','a = f32[2,8,8,3] parameter(0)\n k = f32[3,3,3,5] parameter(1)')
one('conv stride','f32[2,4,4,5] convolution(a,k), window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f','a = f32[2,8,8,3] parameter(0)\n k = f32[3,3,3,5] parameter(1)')
one('conv lhs_dil','f32[2,15,15,5] convolution(a,k), window={size=3x3 pad=1_1x1_1 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f','a = f32[2,8,8,3] parameter(0)\n k = f32[3,3,3,5] parameter(1)')
one('conv rhs_dil','f32[2,4,4,5] convolution(a,k), window={size=3x3 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f','a = f32[2,8,8,3] parameter(0)\n k = f32[3,3,3,5] parameter(1)')
one('conv group','f32[2,8,8,6] convolution(a,k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=3','a = f32[2,8,8,3] parameter(0)\n k = f32[3,3,1,6] parameter(1)')
one('conv batchgroup','f32[1,8,8,4] convolution(a,k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, batch_group_count=2','a = f32[2,8,8,3] parameter(0)\n k = f32[3,3,3,4] parameter(1)')
one('fft','c64[8,16] fft(a), fft_type=FFT, fft_length={16}','a = c64[8,16] parameter(0)')
one('fft 2d','c64[8,16] fft(a), fft_type=FFT, fft_length={8,16}','a = c64[8,16] parameter(0)')
one('rfft','c64[8,9] fft(a), fft_type=RFFT, fft_length={16}')
one('irfft','f32[8,16] fft(a), fft_type=IRFFT, fft_length={16}','a = c64[8,9] parameter(0)')
one('cholesky','f32[4,6,6] cholesky(a), lower=true','a = f32[4,6,6] parameter(0)')
one('triangular-solve','f32[4,6,5] triangular-solve(a,b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE','a = f32[4,6,6] parameter(0)\n b = f32[4,6,5] parameter(1)')
one('batch-norm-training','(f32[8,16],f32[16],f32[16]) batch-norm-training(a,s,s), epsilon=0.1, feature_index=1','a = f32[8,16] parameter(0)\n s = f32[16] parameter(1)')
one('batch-norm-inference','f32[8,16] batch-norm-inference(a,s,s,s,s), epsilon=0.1, feature_index=1','a = f32[8,16] parameter(0)\n s = f32[16] parameter(1)')
one('batch-norm-grad','(f32[8,16],f32[16],f32[16]) batch-norm-grad(a,s,s,s,a), epsilon=0.1, feature_index=1','a = f32[8,16] parameter(0)\n s = f32[16] parameter(1)')
one('rng','f32[8,16] rng(z,z), distribution=rng_uniform','z = f32[] parameter(0)')
one('rng-bit-generator','(u64[2],u32[8,16]) rng-bit-generator(s), algorithm=rng_threefry','s = u64[2] parameter(0)')
one('rng-get-and-update-state','u64[2] rng-get-and-update-state(), delta=4','')
one('tuple','(f32[8,16],f32[8,16]) tuple(a,a)')
one('get-tuple-element','f32[8,16] get-tuple-element(t), index=0','t = (f32[8,16],f32[4]) parameter(0)')
one('custom-call','f32[8,16] custom-call(a,a), custom_call_target="foo"')
one('custom-call topk','(f32[8,4],s32[8,4]) custom-call(a), custom_call_target="TopK"')
one('custom-call onednn','f32[8,4] custom-call(a,b), custom_call_target="__onednn$matmul"','a = f32[8,16] parameter(0)\n b = f32[16,4] parameter(1)')
one('custom-call gemm','f32[8,4] custom-call(a,b), custom_call_target="__cublas$gemm"','a = f32[8,16] parameter(0)\n b = f32[16,4] parameter(1)')
for k in('all-reduce','reduce-scatter','all-gather','all-to-all','collective-permute','all-reduce-start'):
    s={'all-reduce':'f32[8,16] all-reduce(a), replica_groups={{0,1,2,3}}, to_apply=add','reduce-scatter':'f32[2,16] reduce-scatter(a), replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=add','all-gather':'f32[32,16] all-gather(a), replica_groups={{0,1,2,3}}, dimensions={0}','all-to-all':'f32[8,16] all-to-all(a), replica_groups={{0,1,2,3}}, dimensions={0}','collective-permute':'f32[8,16] collective-permute(a), source_target_pairs={{0,1},{1,2}}','all-reduce-start':'f32[8,16] all-reduce-start(a), replica_groups={{0,1,2,3}}, to_apply=add'}[k]
    one(k,s,pre=S)
one('partition-id','u32[] partition-id()',''); one('replica-id','u32[] replica-id()','')
one('infeed','(f32[8,16],token[]) infeed(t)','t = token[] after-all()')
one('call','f32[8,16] call(a), to_apply=f',pre='f {\n a = f32[8,16] parameter(0)\n b = f32[8,16] tanh(a)\n ROOT c = f32[8,16] add(a,b)\n}')
one('conditional','f32[8,16] conditional(p,a,a), true_computation=f, false_computation=g','p = pred[] parameter(0)\n a = f32[8,16] parameter(1)',pre='f {\n a = f32[8,16] parameter(0)\n b = f32[8,16] tanh(a)\n ROOT c = f32[8,16] add(a,b)\n}\ng {\n ROOT a = f32[8,16] parameter(0)\n}')
W='b {\n p = (s32[],f32[8,16]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n x = f32[8,16] get-tuple-element(p), index=1\n one = s32[] constant(1)\n j = s32[] add(i,one)\n y = f32[8,16] tanh(x)\n ROOT t = (s32[],f32[8,16]) tuple(j,y)\n}\nc {\n p = (s32[],f32[8,16]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(10)\n ROOT l = pred[] compare(i,n), direction=LT\n}\n'
one('while','(s32[],f32[8,16]) while(t), condition=c, body=b','t = (s32[],f32[8,16]) parameter(0)',W)
one('while known','(s32[],f32[8,16]) while(t), condition=c, body=b, backend_config={"known_trip_count":{"n":"10"}}','t = (s32[],f32[8,16]) parameter(0)',W)
A='a = f32[8,16] parameter(0)'
def fus(name,inner,params,out,kind='kLoop',args=None,extra=''):
    n=params.count('parameter(')
    names=re.findall(r'(\w+) = \S+(?: \S+)? parameter',params)
    show('fusion '+name,f'{extra}\nfc {{\n {params}\n {inner}\n}}\nENTRY e {{\n {params}\n ROOT r = {out} fusion({",".join(names)}), kind={kind}, calls=fc\n}}')
lt='lt {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = pred[] compare(x,y), direction=LT\n}'
gt2='lt {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n t = f32[] tanh(x)\n u = f32[] add(t,y)\n ROOT s = pred[] compare(u,y), direction=LT\n}'
one('sort 1d 100','f32[100] sort(a), dimensions={0}, to_apply=lt','a = f32[100] parameter(0)',lt)
one('sort heavy cmp','f32[8,16] sort(a), dimensions={1}, to_apply=lt',A,gt2)
one('sort 1','f32[1] sort(a), dimensions={0}, to_apply=lt','a = f32[1] parameter(0)',lt)
C2='f {\n a = f32[8,16] parameter(0)\n b = f32[8,16] tanh(a)\n ROOT c = f32[8,16] add(a,b)\n}\ng {\n a = f32[8,16] parameter(0)\n b = f32[8,16] multiply(a,a)\n c = f32[8,16] multiply(a,b)\n d = f32[8,16] multiply(a,c)\n ROOT x = f32[8,16] multiply(d,a)\n}'
one('conditional 2','f32[8,16] conditional(p,a,a), true_computation=f, false_computation=g','p = pred[] parameter(0)\n a = f32[8,16] parameter(1)',pre=C2)
one('cholesky 10','f32[10,10] cholesky(a), lower=true','a = f32[10,10] parameter(0)')
one('trisolve right','f32[4,5,6] triangular-solve(a,b), left_side=false, lower=true, transpose_a=NO_TRANSPOSE','a = f32[4,6,6] parameter(0)\n b = f32[4,5,6] parameter(1)')
one('rng-bit-generator','(u64[2],u32[8,16]) rng-bit-generator(s), algorithm=rng_three_fry','s = u64[2] parameter(0)')
one('rng-bit-gen phlx','(u64[2],u32[8,16]) rng-bit-generator(s), algorithm=rng_philox','s = u64[2] parameter(0)')
one('clz','s32[8,16] count-leading-zeros(a)','a = s32[8,16] parameter(0)')
one('ragged-dot 32','f32[8,4] ragged-dot(a,b,g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}','a = f32[8,32] parameter(0)\n b = f32[3,32,4] parameter(1)\n g = s32[3] parameter(2)')
one('dot vec','f32[] dot(a,b), lhs_contracting_dims={0}, rhs_contracting_dims={0}','a = f32[16] parameter(0)\n b = f32[16] parameter(1)')
one('dot no contract','f32[8,4] dot(a,b), lhs_contracting_dims={}, rhs_contracting_dims={}','a = f32[8] parameter(0)\n b = f32[4] parameter(1)')
one('s4 add','s4[8,16] add(a,a)','a = s4[8,16] parameter(0)')
one('pred layout s4','s4[8,16]{1,0:E(4)} add(a,a)','a = s4[8,16]{1,0:E(4)} parameter(0)')
one('f8','f8e4m3fn[8,16] add(a,a)','a = f8e4m3fn[8,16] parameter(0)')
one('tiled bf16','bf16[5,7]{1,0:T(8,128)(2,1)} add(a,a)','a = bf16[5,7]{1,0:T(8,128)(2,1)} parameter(0)')
one('send','(f32[8,16],u32[],token[]) send(a,t), channel_id=1','a = f32[8,16] parameter(0)\n t = token[] after-all()')
S='add {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x,y)\n}'
one('all-gather-start','(f32[8,16],f32[32,16]) all-gather-start(a), replica_groups={{0,1,2,3}}, dimensions={0}')
one('collective-permute-start','(f32[8,16],f32[8,16],u32[],u32[]) collective-permute-start(a), source_target_pairs={{0,1},{1,2}}')
one('all-reduce tuple','(f32[8,16],f32[4]) all-reduce(a,b), replica_groups={{0,1,2,3}}, to_apply=add','a = f32[8,16] parameter(0)\n b = f32[4] parameter(1)',S)
one('all-reduce-done','f32[8,16] all-reduce-done(s)','a = f32[8,16] parameter(0)\n s = f32[8,16] all-reduce-start(a), replica_groups={{0,1,2,3}}, to_apply=add',S)
one('reduce 2 dims','f32[] reduce(a,z), dimensions={0,1}, to_apply=add','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)',S)
one('broadcast scalar','f32[8,16] broadcast(z), dimensions={}','z = f32[] parameter(0)')
one('get-dimension-size','s32[] get-dimension-size(a), dimensions={0}')
one('dynamic dims','f32[<=8,16] add(a,a)','a = f32[<=8,16] parameter(0)')
# fusions
fus('add mul','m = f32[8,16] multiply(a,a)\n ROOT r = f32[8,16] add(m,a)',A,'f32[8,16]')
fus('slice','ROOT r = f32[2,16] slice(a), slice={[0:2],[0:16]}',A,'f32[2,16]')
fus('2 slices','s = f32[2,16] slice(a), slice={[0:2],[0:16]}\n t = f32[2,16] slice(a), slice={[2:4],[0:16]}\n ROOT r = f32[2,16] add(s,t)',A,'f32[2,16]')
fus('slice+full','s = f32[2,16] slice(a), slice={[0:2],[0:16]}\n t = f32[2,16] slice(a), slice={[2:4],[0:16]}\n q = f32[2,16] add(s,t)\n p = f32[8,16] pad(q,z), padding=0_6x0_0\n ROOT r = f32[8,16] add(p,a)','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)','f32[8,16]')
fus('neg then slice','n = f32[8,16] negate(a)\n ROOT r = f32[2,16] slice(n), slice={[0:2],[0:16]}',A,'f32[2,16]')
fus('dyn slice','ROOT r = f32[2,16] dynamic-slice(a,i,i), dynamic_slice_sizes={2,16}','a = f32[8,16] parameter(0)\n i = s32[] parameter(1)','f32[2,16]')
fus('dus','ROOT r = f32[8,16] dynamic-update-slice(a,u,i,i)','a = f32[8,16] parameter(0)\n u = f32[2,16] parameter(1)\n i = s32[] parameter(2)','f32[8,16]')
fus('dus+neg','n = f32[2,16] negate(u)\n ROOT r = f32[8,16] dynamic-update-slice(a,n,i,i)','a = f32[8,16] parameter(0)\n u = f32[2,16] parameter(1)\n i = s32[] parameter(2)','f32[8,16]')
fus('neg dus','d = f32[8,16] dynamic-update-slice(a,u,i,i)\n ROOT r = f32[8,16] negate(d)','a = f32[8,16] parameter(0)\n u = f32[2,16] parameter(1)\n i = s32[] parameter(2)','f32[8,16]')
fus('dus bitcast root','d = f32[8,16] dynamic-update-slice(a,u,i,i)\n ROOT r = f32[128] bitcast(d)','a = f32[8,16] parameter(0)\n u = f32[2,16] parameter(1)\n i = s32[] parameter(2)','f32[128]')
fus('dus tuple','d = f32[8,16] dynamic-update-slice(a,u,i,i)\n n = f32[2,16] negate(u)\n ROOT r = (f32[8,16],f32[2,16]) tuple(d,n)','a = f32[8,16] parameter(0)\n u = f32[2,16] parameter(1)\n i = s32[] parameter(2)','(f32[8,16],f32[2,16])')
fus('dus read too','d = f32[8,16] dynamic-update-slice(a,u,i,i)\n s = f32[2,16] dynamic-slice(a,i,i), dynamic_slice_sizes={2,16}\n n = f32[2,16] add(u,s)\n ROOT r = (f32[8,16],f32[2,16]) tuple(d,n)','a = f32[8,16] parameter(0)\n u = f32[2,16] parameter(1)\n i = s32[] parameter(2)','(f32[8,16],f32[2,16])')
fus('gather','ROOT g = f32[5,16] gather(a,i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}','a = f32[8,16] parameter(0)\n i = s32[5,1] parameter(1)','f32[5,16]')
fus('gather big','ROOT g = f32[50,16] gather(a,i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}','a = f32[8,16] parameter(0)\n i = s32[50,1] parameter(1)','f32[50,16]')
fus('scatter','ROOT g = f32[8,16] scatter(a,i,u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add','a = f32[8,16] parameter(0)\n i = s32[5,1] parameter(1)\n u = f32[5,16] parameter(2)','f32[8,16]',extra=S)
fus('broadcast','b = f32[8,16] broadcast(z), dimensions={}\n ROOT r = f32[8,16] add(a,b)','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)','f32[8,16]')
fus('const','b = f32[2] constant({1,2})\n c = f32[8,2] broadcast(b), dimensions={1}\n ROOT r = f32[8,2] add(a,c)','a = f32[8,2] parameter(0)','f32[8,2]')
fus('tuple out','n = f32[8,16] negate(a)\n ROOT r = (f32[8,16],f32[8,16]) tuple(n,a)',A,'(f32[8,16],f32[8,16])')
fus('tuple twice same','n = f32[8,16] negate(a)\n ROOT r = (f32[8,16],f32[8,16]) tuple(n,n)',A,'(f32[8,16],f32[8,16])')
fus('dot','d = f32[8,4] dot(a,b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ROOT t = f32[8,4] tanh(d)','a = f32[8,16] parameter(0)\n b = f32[16,4] parameter(1)','f32[8,4]','kOutput')
fus('reduce','m = f32[8,16] multiply(a,a)\n z = f32[] constant(0)\n ROOT s = f32[8] reduce(m,z), dimensions={1}, to_apply=add',A,'f32[8]','kInput',extra=S)
fus('mul used twice','m = f32[8,16] multiply(a,a)\n x = f32[8,16] tanh(m)\n y = f32[8,16] add(m,x)\n ROOT s = f32[8,16] add(y,m)',A,'f32[8,16]')
fus('bcast dup','m = f32[16] tanh(a)\n b = f32[8,16] broadcast(m), dimensions={1}\n ROOT s = f32[8,16] negate(b)','a = f32[16] parameter(0)','f32[8,16]')
fus('unused param','ROOT s = f32[8,16] negate(a)','a = f32[8,16] parameter(0)\n b = f32[8,16] parameter(1)','f32[8,16]')
fus('param only tuple gte','x = f32[8,16] get-tuple-element(t), index=0\n ROOT s = f32[8,16] negate(x)','t = (f32[8,16],f32[100]) parameter(0)','f32[8,16]')
fus('concat','ROOT c = f32[16,16] concatenate(a,b), dimensions={0}','a = f32[8,16] parameter(0)\n b = f32[8,16] parameter(1)','f32[16,16]')
fus('transpose','ROOT c = f32[16,8] transpose(a), dimensions={1,0}',A,'f32[16,8]')
fus('copy','ROOT c = f32[8,16] copy(a)',A,'f32[8,16]')
fus('nested','ROOT c = f32[8,16] fusion(a), kind=kLoop, calls=g','a = f32[8,16] parameter(0)','f32[8,16]',extra='g {\n a = f32[8,16] parameter(0)\n n = f32[8,16] negate(a)\n ROOT m = f32[8,16] tanh(n)\n}')
fus('bitcast slice','b = f32[128] bitcast(a)\n ROOT s = f32[16] slice(b), slice={[0:16]}',A,'f32[16]')
fus('pad','ROOT c = f32[10,16] pad(a,z), padding=1_1x0_0','a = f32[8,16] parameter(0)\n z = f32[] parameter(1)','f32[10,16]')
fus('iota','i = s32[8,16] iota(), iota_dimension=0\n c = f32[8,16] convert(i)\n ROOT r = f32[8,16] add(a,c)',A,'f32[8,16]')
fus('select iota','i = s32[8,16] iota(), iota_dimension=0\n j = s32[8,16] iota(), iota_dimension=1\n p = pred[8,16] compare(i,j), direction=LT\n ROOT r = f32[8,16] select(p,a,b)','a = f32[8,16] parameter(0)\n b = f32[8,16] parameter(1)','f32[8,16]')

with gzip.GzipFile(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'opcodes.json.gz'), 'wb', mtime=0) as file:
    file.write(json.dumps(FOUND, indent=1).encode())
print(len(FOUND), 'programs')
