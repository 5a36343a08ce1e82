// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens that keep what everybody had at each block, as MiniMe does.

interface Parent {
    function balanceOfAt(address who, uint256 at) external view returns (uint256);
    function totalSupplyAt(uint256 at) external view returns (uint256);
}

abstract contract History {
    struct Checkpoint { uint128 fromBlock; uint128 value; }
    mapping(address => Checkpoint[]) internal _balances;
    Checkpoint[] internal _supplies;
    mapping(address => mapping(address => uint256)) public allowance;
    address public controller = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    modifier onlyController() { require(msg.sender == controller); _; }

    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { return _move(msg.sender, t, v); }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; return _move(f, t, v); }
    function balanceOf(address who) public view returns (uint256) { return balanceOfAt(who, block.number); }
    function totalSupply() public view returns (uint256) { return totalSupplyAt(block.number); }
    function balanceOfAt(address who, uint256 at) public view virtual returns (uint256) { return _valueAt(_balances[who], at); }
    function totalSupplyAt(uint256 at) public view virtual returns (uint256) { return _valueAt(_supplies, at); }

    function _move(address f, address t, uint256 v) internal returns (bool) {
        uint256 had = balanceOf(f);
        require(had >= v);
        _put(_balances[f], had - v);
        _put(_balances[t], balanceOf(t) + v);
        emit Transfer(f, t, v);
        return true;
    }
    function _put(Checkpoint[] storage all, uint256 value) internal {
        if (all.length == 0 || all[all.length - 1].fromBlock < block.number)
            all.push(Checkpoint(uint128(block.number), uint128(value)));
        else all[all.length - 1].value = uint128(value);
    }
    function _valueAt(Checkpoint[] storage all, uint256 at) internal view returns (uint256) {
        if (all.length == 0) return 0;
        if (at >= all[all.length - 1].fromBlock) return all[all.length - 1].value;
        if (at < all[0].fromBlock) return 0;
        uint256 min = 0;
        uint256 max = all.length - 1;
        while (max > min) {
            uint256 mid = (max + min + 1) / 2;
            if (all[mid].fromBlock <= at) min = mid;
            else max = mid - 1;
        }
        return all[min].value;
    }
}

contract Plain is History {}

contract Generating is History {
    function generate(address t, uint256 v) external onlyController {
        _put(_supplies, totalSupply() + v);
        _put(_balances[t], balanceOf(t) + v);
    }
}

contract Destroying is History {
    function destroy(address f, uint256 v) external onlyController {
        _put(_supplies, totalSupply() - v);
        _put(_balances[f], balanceOf(f) - v);
    }
}

contract Cloned is History { // goes on from what another token kept
    Parent internal immutable parent;
    constructor(Parent p) { parent = p; }
    function balanceOfAt(address who, uint256 at) public view override returns (uint256) {
        if (_balances[who].length == 0 || _balances[who][0].fromBlock > at) return address(parent) == address(0) ? 0 : parent.balanceOfAt(who, at);
        return _valueAt(_balances[who], at);
    }
    function generate(address t, uint256 v) external onlyController {
        _put(_supplies, totalSupply() + v);
        _put(_balances[t], balanceOf(t) + v);
    }
    function destroy(address f, uint256 v) external onlyController {
        _put(_supplies, totalSupply() - v);
        _put(_balances[f], balanceOf(f) - v);
    }
}
