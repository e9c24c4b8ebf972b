import { sayHello as withIota } from './sponsor-with-iota.ts';
import { sayHello as withSui } from './sponsor-with-sui.ts';

const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';
const sayHello = process.argv[2] === 'sui' ? withSui : withIota;
console.log(await sayHello(gateway));
