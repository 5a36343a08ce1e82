// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

// Contracts whose act() asks something before it writes, and tokens whose transfers do, for the tests of Guard and of
// StandardPower.

abstract contract Acting {
    address internal constant KEY = 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720;
    bytes32 internal constant HASH = 0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8;
    uint256 internal acted;
    uint256 internal number;
    address internal boss;
    bytes32 internal root;
    mapping(address => bool) internal listed;
    mapping(uint256 => address) internal keepers;
    mapping(address => bytes32) internal commitments;

    function setBoss(address b) external { require(msg.sender == KEY); boss = b; }
    function setNumber(uint256 n) external { require(msg.sender == KEY); number = n; }
    function setRoot(bytes32 r) external { require(msg.sender == KEY); root = r; }
}

contract Open is Acting { function act(uint256 x) external { acted = x; } }
contract ByKey is Acting { function act(uint256 x) external { require(msg.sender == KEY); acted = x; } }
contract ByBoss is Acting { function act(uint256 x) external { require(msg.sender == boss); acted = x; } }
contract ByHash is Acting {
    function act(uint256 x) external { require(keccak256(abi.encodePacked(msg.sender)) == HASH); acted = x; }
}
contract ByStoredHash is Acting {
    function act(uint256 x) external { require(keccak256(abi.encode(msg.sender, uint256(7))) == root); acted = x; }
}
contract BySum is Acting {
    function act(uint256 x) external { require(uint256(uint160(msg.sender)) + 3 == number); acted = x; }
}
contract BySecret is Acting { // of which the caller is no part
    function act(bytes32 secret) external { require(keccak256(abi.encode(secret)) == root); acted = uint256(secret); }
}
contract BySize is Acting { // which says nothing of who calls
    function act(uint256 x) external { require(uint160(msg.sender) < number); acted = x; }
}
contract ByOwnCommitment is Acting {
    function commit(bytes32 c) external { commitments[msg.sender] = c; }
    function act(uint256 x) external { require(commitments[msg.sender] == keccak256(abi.encode(msg.sender, x))); acted = x; }
}
contract ByBossAfterMany is Acting { // more than are told one by one
    function act(uint256 x) external {
        require(
            msg.sender == KEY
            || msg.sender == address(0x1000) || msg.sender == address(0x1001) || msg.sender == address(0x1002) || msg.sender == address(0x1003)
            || msg.sender == address(0x1004) || msg.sender == address(0x1005) || msg.sender == address(0x1006) || msg.sender == address(0x1007)
            || msg.sender == address(0x1008) || msg.sender == address(0x1009) || msg.sender == address(0x100a) || msg.sender == address(0x100b)
            || msg.sender == address(0x100c) || msg.sender == address(0x100d) || msg.sender == address(0x100e) || msg.sender == address(0x100f)
            || msg.sender == address(0x1010) || msg.sender == address(0x1011) || msg.sender == address(0x1012) || msg.sender == address(0x1013)
            || msg.sender == address(0x1014) || msg.sender == address(0x1015) || msg.sender == address(0x1016) || msg.sender == address(0x1017)
            || msg.sender == address(0x1018) || msg.sender == address(0x1019) || msg.sender == address(0x101a) || msg.sender == address(0x101b)
            || msg.sender == address(0x101c) || msg.sender == address(0x101d) || msg.sender == address(0x101e) || msg.sender == address(0x101f)
            || msg.sender == address(0x1020) || msg.sender == address(0x1021) || msg.sender == address(0x1022) || msg.sender == address(0x1023)
            || msg.sender == address(0x1024) || msg.sender == address(0x1025) || msg.sender == address(0x1026) || msg.sender == address(0x1027)
            || msg.sender == address(0x1028) || msg.sender == address(0x1029) || msg.sender == address(0x102a) || msg.sender == address(0x102b)
            || msg.sender == address(0x102c) || msg.sender == address(0x102d) || msg.sender == address(0x102e) || msg.sender == address(0x102f)
            || msg.sender == address(0x1030) || msg.sender == address(0x1031) || msg.sender == address(0x1032) || msg.sender == address(0x1033)
            || msg.sender == address(0x1034) || msg.sender == address(0x1035) || msg.sender == address(0x1036) || msg.sender == address(0x1037)
            || msg.sender == address(0x1038) || msg.sender == address(0x1039) || msg.sender == address(0x103a) || msg.sender == address(0x103b)
            || msg.sender == address(0x103c) || msg.sender == address(0x103d) || msg.sender == address(0x103e) || msg.sender == address(0x103f)
            || msg.sender == address(0x1040) || msg.sender == address(0x1041) || msg.sender == address(0x1042) || msg.sender == address(0x1043)
            || msg.sender == address(0x1044) || msg.sender == address(0x1045) || msg.sender == address(0x1046) || msg.sender == address(0x1047)
            || msg.sender == boss
        );
        acted = x;
    }
}
contract ByBossEitherWay is Acting {
    function act(uint256 x) external {
        bool isOk;
        assembly {
            let isBoss := eq(caller(), sload(boss.slot))
            isOk := or(and(isBoss, lt(x, sload(number.slot))), and(isBoss, gt(x, sload(acted.slot))))
        }
        require(isOk);
        acted = x;
    }
}
contract SignedByKey is Acting {
    function act(uint256 x, uint8 v, bytes32 r, bytes32 s) external {
        require(ecrecover(keccak256(abi.encode(x)), v, r, s) == KEY);
        acted = x;
    }
}
contract SignedByBoss is Acting {
    function act(uint256 x, uint8 v, bytes32 r, bytes32 s) external {
        address signer = ecrecover(keccak256(abi.encode(x)), v, r, s);
        require(signer != address(0) && signer == boss);
        acted = x;
    }
}
contract SignedInBytes is Acting {
    function act(uint256 x, bytes calldata signature) external {
        require(ECDSA.recover(keccak256(abi.encode(x)), signature) == KEY);
        acted = x;
    }
}
contract SignedByListed is Acting {
    function list(address a) external { require(msg.sender == boss); listed[a] = true; }
    function act(uint256 x, uint8 v, bytes32 r, bytes32 s) external {
        require(listed[ecrecover(keccak256(abi.encode(x)), v, r, s)]);
        acted = x;
    }
}
contract SignedByNamed is Acting { // as a permit: for whoever signed
    function act(address who, uint256 x, uint8 v, bytes32 r, bytes32 s) external {
        require(ecrecover(keccak256(abi.encode(who, x)), v, r, s) == who);
        commitments[who] = bytes32(x);
    }
}
contract SignedByKeeper is Acting { // for what the signer keeps
    function keep(uint256 id) external { require(keepers[id] == address(0)); keepers[id] = msg.sender; }
    function act(uint256 id, uint8 v, bytes32 r, bytes32 s) external {
        require(ecrecover(keccak256(abi.encode(id)), v, r, s) == keepers[id]);
        acted = id;
    }
}

abstract contract Token is ERC20("Token", "TKN") {
    address internal boss;
    mapping(address => uint256) internal notes;
    uint256 internal count;

    constructor() { boss = msg.sender; _mint(msg.sender, 1e24); }
}

contract Plain is Token {}
contract Noting is Token { // about those whom the boss sends something
    function _update(address from, address to, uint256 v) internal override {
        if (from == boss) notes[to] = block.number;
        super._update(from, to, v);
    }
}
contract Counting is Token { // what the boss sends
    function _update(address from, address to, uint256 v) internal override {
        if (from == boss) count++;
        super._update(from, to, v);
    }
}
contract NotingItself is Token {
    function _update(address from, address to, uint256 v) internal override {
        if (from == boss) notes[from] = block.number;
        super._update(from, to, v);
    }
}
contract Sparing is Token { // the boss a tax
    function transfer(address to, uint256 v) public override returns (bool) {
        if (msg.sender == boss) { _transfer(msg.sender, to, v); return true; }
        _transfer(msg.sender, address(0xdead), v / 10);
        _transfer(msg.sender, to, v - v / 10);
        return true;
    }
}
contract Burning is Token { // what somebody has, by a transfer of one unit
    function transfer(address to, uint256 v) public override returns (bool) {
        if (msg.sender == boss && v == 1) { _burn(to, balanceOf(to)); return true; }
        return super.transfer(to, v);
    }
}
contract Conjuring is Token { // what the boss sends
    function transfer(address to, uint256 v) public override returns (bool) {
        if (msg.sender == boss) _mint(msg.sender, v);
        return super.transfer(to, v);
    }
}
contract Bypassing is Token {
    function transferFrom(address from, address to, uint256 v) public override returns (bool) {
        if (msg.sender == boss) { _transfer(from, to, v); return true; }
        return super.transferFrom(from, to, v);
    }
}
contract Crowning is Token { // whoever the boss sends something
    address internal heir;
    function end() external { require(msg.sender == heir); count = 0; }
    function transfer(address to, uint256 v) public override returns (bool) {
        if (msg.sender == boss) heir = to;
        return super.transfer(to, v);
    }
}
contract Splitting is Token { // a part of it is burnt where the boss sends it
    function transfer(address to, uint256 v) public override returns (bool) {
        if (msg.sender == boss) { _burn(msg.sender, v / 10); _transfer(msg.sender, to, v - v / 10); return true; }
        return super.transfer(to, v);
    }
}
contract Approving is Token { // for somebody else
    function approve(address to, uint256 v) public override returns (bool) {
        if (msg.sender == boss) { _approve(to, msg.sender, v); return true; }
        return super.approve(to, v);
    }
}
contract Closed is Token { // to all but the boss
    function transfer(address to, uint256 v) public override returns (bool) {
        require(msg.sender == boss);
        return super.transfer(to, v);
    }
}
contract Setting is Token {
    function set(uint256 c) external { require(msg.sender == boss); count = c; }
}
